import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { answerThreshold } from '../../pipeline/predict/answer-threshold.js';
import type { AnswererOptions } from '../../pipeline/predict/artefact-answerer.js';
import { readArtefact } from '../../pipeline/predict-stage.js';
import { DEFAULT_LIMITS, type ServiceSettings } from '../../serve/service-settings.js';
import { type ArtefactToServe, startService } from '../../serve/start-service.js';
import { addFlags, addOutputFlags, collect } from '../flags/options.js';
import { addThresholdFlags } from '../flags/threshold-flags.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

interface ServeFlags extends SessionFlags, Omit<AnswererOptions, 'artefact' | 'model'> {
  artefact: string[];
  model?: string[];
  logitsOnly?: boolean;
  host: string;
  port: number;
  tokenEnv?: string;
  upstream?: string;
  upstreamKeyEnv?: string;
  maxBody: number;
  maxQuestions: number;
  maxWaiting: number;
  timeout: number;
  maxError?: number;
  minConfidence?: number;
}

const HELP = `
POST /v1/score takes a question with the fields that the artefact names, or its logits, and answers with the prediction and its
calibrated confidence; {"questions": [...]} takes several. Questions of all callers are evaluated together.

  curl localhost:8421/v1/score -H 'content-type: application/json' \\
    -d '{"question": "What do bees make?", "options": ["honey", "silk", "milk", "pearls"]}'

With --upstream, POST /v1/chat/completions and /v1/completions go to a llama-server or vLLM, and every choice of the answer gets
calibrated confidences of the options, from the log-probabilities of its first token. An option that the server gives no
probability for is named, never guessed. The temperature holds if the questions are put as those of the fit were.

/healthz says whether the models are loaded, /metrics is for Prometheus, /openapi.json describes it all. SIGTERM ends it when the
questions that came are answered. Under systemd, Docker or another supervisor start \`node dist/main.js serve\` or the installed
\`supportcal serve\`: npm and npx end by SIGTERM and leave the service at its port.

Examples:
  supportcal serve --artefact tern.json --model tern.Q8_0.gguf
  supportcal serve --artefact a.json --artefact b.json --logits-only
  supportcal serve --artefact tern.json --upstream http://127.0.0.1:8080
  TOKEN=... supportcal serve --artefact tern.json --model tern.gguf --host 0.0.0.0 --token-env TOKEN`;

export function serveCommand(act: Act): Command {
  const { bodyBytes, questions, waiting, answerMs } = DEFAULT_LIMITS;
  const command = new Command('serve')
    .description('answer questions over HTTP with calibrated confidences')
    .requiredOption('--artefact <file>', 'calibration written by supportcal export (required, repeatable)', collect)
    .option(
      '--model <file>',
      'GGUF file of the target, or hf:owner/repo/file.gguf; one for all artefacts, or one for each in their order (default: by models.yaml)',
      collect,
    )
    .option('--logits-only', 'load no model: callers bring logits (the default with --upstream)')
    .option('--host <address>', 'where to listen; anything but this machine itself needs --token-env', '127.0.0.1')
    .option('--port <n>', 'port to listen on, 0 for any free one', port, 8421)
    .option('--token-env <name>', 'variable of the environment with the token that callers must bring')
    .option('--upstream <url>', 'llama-server or vLLM behind /v1/chat/completions and /v1/completions')
    .option('--upstream-key-env <name>', 'variable of the environment with the key for it')
    .option('--max-body <bytes>', 'largest request', whole, bodyBytes)
    .option('--max-questions <n>', 'most questions of one request', whole, questions)
    .option('--max-waiting <n>', 'most questions that wait; more are turned away with 503', whole, waiting)
    .option('--timeout <seconds>', 'longest time to an answer; then 504', whole, answerMs / 1000)
    .option('--allow-other-model', 'use the temperature though the model file is not the one it was fitted to')
    .option('--allow-other-prompt', 'use the temperature though questions are put in another way');
  addThresholdFlags(command);
  addFlags(command, ['models', 'quant', 'datasets', 'cache', 'gpu', 'offline']);
  return addOutputFlags(command)
    .addHelpText('after', HELP)
    .action((flags: ServeFlags) => act(flags, (session) => serve(session, flags)));
}

async function serve(session: Session, flags: ServeFlags): Promise<number> {
  const settings = settingsOf(flags, session.io.env);
  const { log, signal } = session;
  const service = await startService(await artefactsOf(flags), settings, { onLog: log.log, signal });
  if (session.json) session.printJson({ schemaVersion: 1, status: 'listening', ...service });
  else session.print(`listening on ${service.address}: ${service.artefacts.join(', ')}`);
  if (!signal.aborted) await once(signal, 'abort');
  await service.close();
  return EXIT.done;
}

async function artefactsOf(flags: ServeFlags): Promise<ArtefactToServe[]> {
  const { artefact: files, model: models = [], upstream, logitsOnly = upstream !== undefined, ...common } = flags;
  if (models.length > 1 && models.length !== files.length)
    throw new SupportCalError(
      'usage',
      `--model: ${models.length} files for ${files.length} artefacts; give one, or as many`,
    );
  if (flags.logitsOnly && models.length > 0)
    throw new SupportCalError('usage', '--logits-only loads no model: leave --model out');
  return Promise.all(
    files.map(async (file, n) => {
      const model = models[models.length === 1 ? 0 : n];
      const options = { ...common, artefact: file, ...(model !== undefined && { model }) };
      const artefact = await readArtefact(file);
      const abstainBelow = answerThreshold(artefact, flags, file)?.abstainBelow;
      return { artefact, abstainBelow, options: logitsOnly && model === undefined ? null : options };
    }),
  );
}

function settingsOf(flags: ServeFlags, env: Readonly<Record<string, string | undefined>>): ServiceSettings {
  const { host, port: listening, upstream, maxBody, maxQuestions, maxWaiting, timeout } = flags;
  if (upstream !== undefined && !(/^https?:/i.test(upstream) && URL.canParse(upstream)))
    throw new SupportCalError('usage', `--upstream ${upstream}: expected an address such as http://127.0.0.1:8080`);
  return {
    host,
    port: listening,
    token: secret('--token-env', flags.tokenEnv, env),
    upstream:
      upstream === undefined ? null : { url: upstream, key: secret('--upstream-key-env', flags.upstreamKeyEnv, env) },
    limits: {
      bodyBytes: maxBody,
      questions: maxQuestions,
      waiting: maxWaiting,
      receiveMs: DEFAULT_LIMITS.receiveMs,
      answerMs: timeout * 1000,
    },
  };
}

/** The value of a variable; it never stands in a command line, where others of the machine could read it. */
function secret(flag: string, name: string | undefined, env: Readonly<Record<string, string | undefined>>) {
  if (name === undefined) return null;
  // The line break at the end of a file that the value came from is none of it.
  const value = env[name]?.trim();
  if (value === undefined || value === '')
    throw new SupportCalError('usage', `${flag} ${name}: the environment has no such variable, or it is empty`);
  if (/\p{Cc}/u.test(value))
    throw new SupportCalError('usage', `${flag} ${name}: its value has line breaks or other control characters inside`);
  return value;
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('expected a number up to 65535.');
  return Number(text);
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number of 1 or more.');
  return Number(text);
}
