import { constants, createWriteStream, type WriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import winston from 'winston';
import { escaped, HIDDEN, visibleText } from '../../errors/hidden-characters.js';
import { redactSecrets } from '../../errors/redact-secrets.js';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export const LOG_LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

export interface Log {
  log(level: LogLevel, message: string): void;
  /** From now on every line also goes to this file (`run.log` of the output folder). */
  toFile(file: string): void;
  close(): Promise<void>;
}

/**
 * Winston logger on stderr at `level`; `run.log` gets everything from info up with a time stamp. `print` writes a line
 * so that it does not tear a progress bar; `head` is what it begins with, for a colour. No line shows a secret.
 */
export function createLog(level: LogLevel, print: (line: string, head?: string) => void): Log {
  const line = winston.format.printf(({ level, message }) => `${level}: ${String(message)}`);
  const clean = winston.format((info) => {
    info.message = printable(redactSecrets(String(info.message)));
    return info;
  });
  const console_ = new winston.transports.Stream({
    level,
    stream: new Writable({
      write(chunk, _encoding, done) {
        const text = String(chunk).replace(/\n$/, '');
        print(text, /^(error|warn):/.exec(text)?.[0]);
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
      // In a folder that came from elsewhere the name may be a link to another file.
      const stream = createWriteStream(file, { flags: APPEND });
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

const APPEND = (constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)) as never;

function stamped(info: winston.Logform.TransformableInfo): string {
  return `${String(info.timestamp)} ${info.level}: ${String(info.message)}`;
}

/**
 * One line for a terminal or a log. Text from data, files and native code must not move the cursor, recolour the
 * terminal, turn the reading direction, begin a line of its own or look like another: colour sequences go, any other
 * control character and what nobody sees is shown as its escape.
 */
export function printable(text: string): string {
  return visibleText(text.replace(COLOUR, ''));
}

/** Whole lines of ours around text of others: line breaks and, where `color`, our own colours stay. */
export function printableLines(text: string, color: boolean): string {
  const lines = text.split('\n');
  if (!color) return lines.map(printable).join('\n');
  // Only colours are let through, so that the worst a name can do is to be red.
  return lines
    .map((line) => line.replace(ACTIVE_BUT_COLOUR, (found) => (found.startsWith(`${ESC}[`) ? found : printable(found))))
    .join('\n');
}

/** JSON for a terminal: the same document, with everything escaped that JSON leaves to the terminal. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(ACTIVE_IN_JSON, escaped);
}

const ESC = '\u001b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to remove
const COLOUR = /\u001b\[[0-9;]*m/g;
const ACTIVE_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029]|${HIDDEN.source}`, 'gu');
const ACTIVE_BUT_COLOUR = new RegExp(`${COLOUR.source}|[\\0-\\x1f]|\\p{Cs}|${ACTIVE_IN_JSON.source}`, 'gu');
