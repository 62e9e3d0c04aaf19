import type { ModelEstimate } from '../../pipeline/estimate/model-estimate.js';
import type { RunEstimate } from '../../pipeline/estimate/run-estimate.js';
import { hoursText } from '../terminal/duration.js';
import { textTable } from '../terminal/text-table.js';

/** What a run of the suite takes, as a table and a few lines; `~` marks estimates. */
export function describeEstimate(estimate: RunEstimate): string[] {
  const { models, datasets, download, cacheBytes, freeDisk, hours, missing, rules } = estimate;
  const total = hours === null ? 'unknown: some size or speed is not known' : `${hoursText(hours)} of scoring`;
  const devices = [...new Set(models.flatMap(({ fitsOn }) => Object.keys(fitsOn)))] as Device[];
  const header = ['model', 'is', 'file', 'memory', ...devices.map((device) => `fits ${device}`)];
  return [
    'a whole run from an empty cache (~ is an estimate)',
    ...textTable(
      [...header, 'tokens', 'written', 'tokens/s', 'time'],
      models.map((model) => row(model, devices)),
    ),
    '',
    ...textTable(
      ['model', 'named in', 'file'],
      models.flatMap(({ model, namedIn, file }) => (file === null ? [] : [[model, namedIn ?? '', file]])),
    ),
    '',
    ...datasets.map(
      ({ dataset, state, rows, promptTokens }) =>
        `  data set ${dataset}: ${state}, ${state === 'here' ? '' : '~'}${rows ?? '?'} rows of ~${promptTokens ?? '?'} tokens`,
    ),
    `  downloads  ${downloads(download)}${rowsOf(datasets)}`,
    `  disk       ~${gigabytes(download.bytes)} of models, ${cacheBytes === null ? '?' : `~${gigabytes(cacheBytes)}`} of scores` +
      (freeDisk === null ? '' : `; ${gigabytes(freeDisk)} free on the disk of the cache`),
    `  time       ${total}`,
    ...costOf(models),
    `  missing    ${missing.length === 0 ? 'nothing' : shortened(missing).join(', ')}`,
    ...rules.map((rule) => `  rule       ${rule}`),
  ];
}

/** Only where some model has a price. */
function costOf(models: RunEstimate['models']): string[] {
  const priced = models.filter(({ cost }) => cost !== null);
  if (priced.length === 0) return [];
  const total = priced.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const each = priced.map(({ model, cost }) => `${model} ${(cost ?? 0).toFixed(2)}`).join(', ');
  return [
    `  cost       ~${total.toFixed(2)} by the prices in models.yaml (${each}); --max-cost N refuses a run above N`,
  ];
}

function downloads({ files, bytes, kept, unknown }: RunEstimate['download']): string {
  if (files === 0) return 'no model file';
  const known = unknown === files ? [] : [`~${gigabytes(bytes)}`];
  const sizes = [...known, ...(unknown > 0 ? [`${unknown} of unknown size`] : [])].join(' and ');
  const before = kept > 0 ? `; ${gigabytes(kept)} more of them are here from a download that broke off` : '';
  return `${files} model ${files === 1 ? 'file' : 'files'}, ${sizes}${before}`;
}

/** Many models in one line are not read; the table marks each. */
function shortened(missing: readonly string[]): readonly string[] {
  const rest = missing.filter((name) => !name.startsWith('model '));
  const models = missing.length - rest.length;
  return models > 4 ? [...rest, `${models} models (marked in the table)`] : missing;
}

/** A split of rows is some MB at most; its size is known when the hub is asked. */
function rowsOf(datasets: RunEstimate['datasets']): string {
  const absent = datasets.filter(({ state }) => state === 'missing').map(({ dataset }) => dataset);
  return absent.length === 0 ? '' : `, and the rows of ${absent.join(', ')} (a few MB)`;
}

type Device = keyof ModelEstimate['fitsOn'];

function row(model: ModelEstimate, devices: readonly Device[]): string[] {
  const about = (from: string | null, exact: readonly string[], text: string) =>
    from === null ? '?' : `${exact.includes(from) ? '' : '~'}${text}`;
  const millions = (tokens: number | null) =>
    tokens === null ? '?' : tokens === 0 ? '0' : `~${(tokens / 1e6).toFixed(2)}M`;
  return [
    model.model,
    model.state,
    about(model.bytesFrom, ['file', 'listed'], gigabytes(model.bytes ?? 0)),
    about(model.memoryFrom, ['file'], gigabytes(model.memory ?? 0)),
    ...devices.map((device) => ({ true: 'yes', false: 'NO', undefined: '?' })[`${model.fitsOn[device]}`]),
    millions(model.tokens),
    millions(model.generatedTokens),
    about(model.speedFrom, ['probed', 'measured'], speed(model.tokensPerSecond ?? 0)),
    model.hours === null ? '?' : `~${hoursText(model.hours)}`,
  ];
}

function speed(tokensPerSecond: number): string {
  return tokensPerSecond.toFixed(tokensPerSecond < 10 ? 1 : 0);
}

export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e9 ? 3 : 1)} GB`;
}
