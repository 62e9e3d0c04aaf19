/**
 * Asks a server that runs already, of any of the five interfaces, and compares what it says with the same model as a
 * GGUF file in this process: letters, whole texts, greedy replies.
 *
 *   npx tsx bench/served/any-server.ts API URL MODEL.gguf [raw|chat] [rows=100] [top]
 *
 * The server serves the model as `served`. Options that it does not tell are counted, and not compared; with `top` the
 * endpoint has `missing: bound`, and the bench checks that no untold option is above its bound.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { EndpointSpec } from '../../src/config/models-schema.js';
import type { EndpointModel } from '../../src/config/source-kind.js';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import type { ModelRow } from '../../src/contract/scored-row.js';
import type { AnyModelJob, Scorer } from '../../src/contract/scorer.js';
import { REPLY_FORM } from '../../src/datasets/prompts/render-elicitation.js';
import { probeEndpoint } from '../../src/scoring/endpoint/open-endpoint.js';
import { scoreEndpoints } from '../../src/scoring/endpoint/score-endpoints.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { write } from '../measure.js';
import { pears } from './pears.js';

const [api = '', url = '', file = '', frame = 'raw', count = '100', top] = process.argv.slice(2);
const common = { role: 'base', bucket: 'b', prompt: frame as 'raw' | 'chat', scoring: { maxFailedShare: 1 } } as const;
const bounded = top === undefined ? {} : ({ top: Number(top), missing: 'bound' } as const);
const endpoint = {
  url,
  model: 'served',
  api: api as EndpointSpec['api'],
  concurrency: 8,
  timeoutSeconds: 120,
  ...bounded,
};
const there: EndpointModel = { ...common, id: 'there', endpoint };
const here = { ...common, id: 'here', file };
const place = await probeEndpoint(there, {});
write(`${api}, version ${place.version}, ${place.revision}; start token ${place.bos}; bias works ${place.biasWorks}`);

const letters = pears(Number(count)).map(
  ({ id, text, continuations }): ExamplePrompt => ({ id, text, mode: 'letter', continuations, answerPrefix: null }),
);
/** Two interfaces hold no reply to a form. */
const form = api === 'openai' || api === 'ollama' ? null : REPLY_FORM;
const texts = letters.slice(0, 20).map(
  (each, n): ExamplePrompt => ({
    id: each.id,
    text: each.text,
    mode: 'text',
    continuations: [`${n} pears`, 'forty', 'none of them'],
    answerPrefix: null,
    textScore: { normalize: 'sum' },
  }),
);
const replies = letters.slice(0, 20).map(
  (each): ExamplePrompt => ({
    id: each.id,
    mode: 'reply',
    continuations: each.continuations,
    answerPrefix: null,
    text: `${each.text.replace(/Answer:$/, '')}\nReply with JSON: {"answer": letter, "confidence": 0 to 100}.\nReply:`,
    reply: { example: each.id, sample: 1, seed: 1, temperature: 0, maxTokens: 32, form, options: [] },
  }),
);
for (const [what, prompts] of Object.entries({ letters, texts, replies })) {
  const [mine, theirs] = [await rowsOf('here', prompts), await rowsOf('there', prompts)];
  write(`${what}: ${compared(mine, theirs)}`);
}

async function rowsOf(side: 'here' | 'there', prompts: readonly ExamplePrompt[]) {
  const rows = new Map<string, ModelRow>();
  const keep = async (some: readonly ModelRow[]) => {
    for (const row of some) rows.set(row.id, row);
  };
  const jobs = [{ dataset: 'bench', prompts, onRows: keep, ...(prompts[0]?.mode === 'reply' && { onReplies: keep }) }];
  const gguf = { kind: 'gguf', path: path.resolve(file), bytes: statSync(file).size } as const;
  const job: AnyModelJob = side === 'here' ? { model: here, place: gguf, jobs } : { model: there, place, jobs };
  const score = side === 'here' ? (scoreModels as unknown as Scorer) : scoreEndpoints;
  const [outcome] = await score([job], { device: 'cpu', cores: 2 }, {});
  if (outcome?.kind !== 'done') write(`${side}: ${JSON.stringify(outcome)}`);
  return rows;
}

function compared(mine: ReadonlyMap<string, ModelRow>, theirs: ReadonlyMap<string, ModelRow>): string {
  let [numbers, largest, failed, same, untold, above] = [0, 0, 0, 0, 0, 0];
  let why = '';
  for (const [id, one] of mine) {
    const other = theirs.get(id);
    if (one.status === 'replied' && other?.status === 'replied') same += one.text === other.text ? 1 : 0;
    if (one.status !== 'ok') continue;
    if (other?.status !== 'ok') {
      failed++;
      why = other?.status === 'failed' ? other.reason : 'no row';
      continue;
    }
    for (const [k, logit] of Array.from(one.logits).entries()) {
      const [mineLog, theirsLog] = [logit - one.logZ, other.logits[k] ?? Number.NaN];
      if (((other.untold ?? 0) >> k) & 1) {
        untold++;
        if (mineLog > theirsLog + 0.05) above++;
      } else {
        numbers++;
        largest = Math.max(largest, Math.abs(mineLog - theirsLog));
      }
    }
  }
  const open = untold === 0 ? '' : `; ${untold} options untold, ${above} of them above their bound`;
  if ([...mine.values()].some(({ status }) => status === 'replied')) return `${same} of ${mine.size} the same text`;
  return `${mine.size} rows, ${numbers} numbers, largest difference ${largest.toExponential(2)}${open}; ${failed} failed${why === '' ? '' : ` (${why})`}`;
}
