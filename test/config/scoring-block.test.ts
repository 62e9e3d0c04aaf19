import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadDatasetSpecs } from '../../src/config/load-dataset-specs.js';
import type { SupportCalError } from '../../src/errors/supportcal-error.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-scoring-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A whole data-set file in text mode; an option's text is what the model is asked about. */
const TEXT_MODE = `source: capitals.jsonl
fields:
  id: id
  options: choices
  label: {field: answer, labelBase: 0}
prompt:
  template: "Question: {question}\\nAnswer:"
scoring:
  mode: text
  normalize: pmi
  pmiPrompt: "Answer:"
`;

async function load(yaml: string) {
  writeFileSync(path.join(folder, 'capitals.yaml'), yaml);
  return (await loadDatasetSpecs(folder, ['capitals']))[0]!.yaml.scoring;
}

async function faultsOf(yaml: string) {
  const error: SupportCalError | undefined = await load(yaml).then(
    () => undefined,
    (thrown) => thrown,
  );
  return (error?.faults ?? []).map((fault) => [fault.line, fault.field, fault.message]);
}

describe('the scoring block of a data set', () => {
  it('takes a mode, a normalisation and the prompt of pmi', async () => {
    expect(await load(TEXT_MODE)).toEqual({ mode: 'text', normalize: 'pmi', pmiPrompt: 'Answer:' });
  });

  it('refuses a normalisation in letter mode, with its line', async () => {
    expect(await faultsOf(TEXT_MODE.replace('mode: text', 'mode: letter'))).toEqual([
      [10, 'scoring.normalize', expect.stringContaining('letter mode scores one token')],
    ]);
  });

  it('refuses a pmi prompt that nothing uses, with its line', async () => {
    expect(await faultsOf(TEXT_MODE.replace('normalize: pmi', 'normalize: sum'))).toEqual([
      [11, 'scoring.pmiPrompt', expect.stringContaining('is used by `normalize: pmi` only')],
    ]);
  });

  it('names the modes when it meets another', async () => {
    expect(await faultsOf(TEXT_MODE.replace('mode: text', 'mode: words'))).toEqual([
      [9, 'scoring.mode', expect.stringContaining('"letter"|"text"|"hybrid"')],
    ]);
  });
});
