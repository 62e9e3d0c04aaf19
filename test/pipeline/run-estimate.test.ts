import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeEstimate } from '../../src/cli/describe-estimate.js';
import { doctor } from '../../src/pipeline/doctor.js';
import type { RunOptions } from '../../src/pipeline/run-options.js';
import { estimateBytes } from '../../src/scoring/estimate-model.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-estimate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const run = (suite: string, more: Partial<RunOptions> = {}) =>
  doctor(
    {
      ...{
        suite,
        models: path.join(root, 'models.yaml'),
        datasets: path.join(root, 'datasets'),
        gpu: 'off',
        refresh: false,
      },
      ...{ cache: path.join(folder, 'cache'), out: path.join(folder, 'out') },
      ...more,
    },
    { probe: async () => ({ ok: true, device: 'a CPU' }) },
  );

describe('doctor before anything is here', () => {
  it('estimates downloads, memory and time of a paper suite without a connection', async () => {
    const { estimate, models } = await run('paper-medmcqa');
    const { download, datasets, missing, hours } = estimate!;
    expect(models.every(({ facts }) => facts === null)).toBe(true);
    expect(download).toMatchObject({ files: 26, unknown: 0 });
    // 26 models of together 378 billion weights at 8.5 bits.
    expect(download.bytes / 1e9).toBeCloseTo(estimate!.models.reduce((sum, { bytes }) => sum + bytes!, 0) / 1e9, 6);
    expect(download.bytes / 1e9).toBeGreaterThan(350);
    expect(download.bytes / 1e9).toBeLessThan(450);
    expect(datasets).toEqual([{ dataset: 'medmcqa', state: 'missing', rows: 4183, promptTokens: 55, options: 4 }]);
    expect(missing).toHaveLength(27);
    expect(hours).toBeGreaterThan(1);
    const base = estimate!.models.find(({ model }) => model === 'llama-3-8b')!;
    const target = estimate!.models.find(({ model }) => model === 'llama-3-8b-instruct')!;
    expect(base).toMatchObject({
      state: 'missing',
      bytesFrom: 'estimated',
      memoryFrom: 'estimated',
      tokens: 4183 * 55,
    });
    expect(target.tokens).toBe(5 * base.tokens!);
  });

  it('takes the rows that are here, the quantisation that is asked for and the speed that was measured', async () => {
    const source = path.join(folder, 'rows.jsonl');
    const row = { question: 'x'.repeat(40), opa: 'a', opb: 'b', opc: 'c', opd: 'd', cop: 1 };
    const rows = [0, 1, 2].map((id) => JSON.stringify({ ...row, id: String(id), cop: id }));
    writeFileSync(source, `${rows.join('\n')}\n`);
    const sources = new Map([['medmcqa', source]]);
    const { estimate } = await run('paper-medmcqa', { sources, quant: 'Q4_K_M' });
    expect(estimate!.datasets[0]).toMatchObject({ state: 'here', rows: 3, options: 4 });
    expect(estimate!.models[0]!.bytes).toBeCloseTo((8.03e9 * 4.89) / 8, -3);
  });

  it('says which size is unknown, and gives no total then', () => {
    expect(estimateBytes({ parameters: 8, file: 'hf:o/r/m.Q8_0.gguf' })).toBe(8.5e9);
    expect(estimateBytes({ parameters: 8, file: 'hf:o/r/Q9.gguf' })).toBeNull();
    expect(estimateBytes({ file: 'hf:o/r/m.Q8_0.gguf' })).toBeNull();
    expect(estimateBytes({ parameters: 1, file: 'hf:o/r/m-IQ4_XS-00001-of-00002.gguf' })).toBeCloseTo(5.575e8, -3);
  });

  it('marks what is estimated in its table', async () => {
    const lines = describeEstimate((await run('paper-mathqa')).estimate!);
    expect(lines.join('\n')).toMatch(/^qwen2\.5-math-7b +missing +~8\.1 GB +~\d+\.\d GB +\S+ +~0\.24M +~[\d.]+ +~.*$/m);
    expect(lines.join('\n')).toContain('missing    data set mathqa, model llama-3-8b,');
  });
});
