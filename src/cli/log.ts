import { createWriteStream, type WriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import winston from 'winston';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export const LOG_LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

export interface Log {
  log(level: LogLevel, message: string): void;
  /** From now on every line also goes to this file (`run.log` of the output folder). */
  toFile(file: string): void;
  close(): Promise<void>;
}

/** Secrets never reach a log: hub tokens look alike wherever they come from. */
const SECRET = /\bhf_[A-Za-z0-9]{6,}/g;

/**
 * Winston logger on stderr at `level`; `run.log` gets everything from info up with a time stamp. `print` writes a line
 * so that it does not tear a progress bar.
 */
export function createLog(level: LogLevel, print: (line: string) => void): Log {
  const line = winston.format.printf(({ level, message }) => `${level}: ${String(message)}`);
  const clean = winston.format((info) => {
    info.message = printable(String(info.message)).replace(SECRET, 'hf_***');
    return info;
  });
  const console_ = new winston.transports.Stream({
    level,
    stream: new Writable({
      write(chunk, _encoding, done) {
        print(String(chunk).replace(/\n$/, ''));
        done();
      },
    }),
    format: winston.format.combine(clean(), line),
  });
  const files: WriteStream[] = [];
  const logger = winston.createLogger({ level: 'debug', transports: [console_] });
  return {
    log: (at, message) => void logger.log(at, message),
    toFile(file) {
      const stream = createWriteStream(file, { flags: 'a' });
      stream.on('error', (error) => print(`warn: run.log cannot be written: ${error.message}`));
      files.push(stream);
      logger.add(
        new winston.transports.Stream({
          level: level === 'debug' ? 'debug' : 'info',
          stream,
          format: winston.format.combine(clean(), winston.format.timestamp(), winston.format.printf(stamped)),
        }),
      );
    },
    close: async () => {
      await new Promise<void>((resolve) => {
        logger.on('finish', () => setImmediate(resolve));
        logger.end();
      });
      // A stream that failed has said so; its `close` comes all the same.
      await Promise.all(
        files.map((stream) => new Promise((resolve) => (stream.destroyed ? resolve(null) : stream.end(resolve)))),
      );
    },
  };
}

function stamped(info: winston.Logform.TransformableInfo): string {
  return `${String(info.timestamp)} ${info.level}: ${String(info.message)}`;
}

/** Text from data or native code must not move the cursor or recolour the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to remove
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '?');
}
