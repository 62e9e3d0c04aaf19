import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeEstimate } from '../../../src/cli/describe/describe-estimate.js';
import { checkModelFile } from '../../../src/models/gguf/check-model-file.js';
import { doctor } from '../../../src/pipeline/doctor.js';
import { tokenDensity } from '../../../src/pipeline/estimate/token-density.js';
import type { RunOptions } from '../../../src/pipeline/workspace/run-options.js';
import type { probeDevice } from '../../../src/scoring/device/probe-device.js';
import { estimateBytes } from '../../../src/scoring/memory/estimate-model.js';

const root = path.resolve(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-estimate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const cpu: typeof probeDevice = async () => ({ ok: true, device: 'a CPU' });
const run = (suite: string, more: Partial<RunOptions> = {}, probe = cpu) =>
  doctor(
    {
      suite,
      models: path.join(root, 'models.yaml'),
      datasets: path.join(root, 'datasets'),
      gpu: 'off',
      refresh: false,
      cache: path.join(folder, 'cache'),
      out: path.join(folder, 'out'),
      ...more,
    },
    { probe },
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
    expect(datasets).toEqual([
      { dataset: 'medmcqa', state: 'missing', rows: 4183, promptTokens: 57, longestTokens: 290, options: 4 },
    ]);
    expect(missing).toHaveLength(27);
    expect(hours).toBeGreaterThan(1);
    const base = estimate!.models.find(({ model }) => model === 'llama-3-8b')!;
    const target = estimate!.models.find(({ model }) => model === 'llama-3-8b-instruct')!;
    expect(base).toMatchObject({ state: 'missing', bytesFrom: 'estimated', memoryFrom: 'estimated' });
    expect([base.tokens, base.generatedTokens]).toEqual([4183 * 57, 0]);
    // Plainly, in three more orders of the options, and asked twice for replies, whose request is 30 tokens: 1 and 5 of
    // 13 tokens.
    expect([target.tokens, target.generatedTokens]).toEqual([4183 * (57 + 3 * 57 + 2 * (57 + 30)), 4183 * 6 * 13]);
    const core = 30 * availableParallelism();
    expect(target.hours).toBeCloseTo(((target.tokens! + target.generatedTokens!) * 8.03) / core / 3600, 6);
    // 26 models plainly; 12 targets also in all orders and with 1 + 5 replies.
    expect(estimate!.cacheBytes).toBe(150 * 4183 * (26 + 12 * 7));
  });

  it('plans memory for every device that works: 64 sequences in two contexts on a GPU, 8 in one on a CPU', async () => {
    const gigabyte = 1e9;
    const card = { total: 80 * gigabyte, free: 19 * gigabyte };
    const { estimate } = await run('paper-medmcqa', { gpu: 'cuda' }, async (backend) =>
      backend === 'cuda' ? { ok: true, device: 'a card', memory: card } : { ok: true, device: 'a CPU' },
    );
    const { memory, fitsOn } = estimate!.models.find(({ model }) => model === 'llama-3-8b-instruct')!;
    // 290 + 30 + 13 tokens for the longest prompt and its reply, in cells of 256; 128 KiB each; logits of 2,048 tokens.
    const context = 64 * 512 * 128 * 1024 + 2048 * 128_256 * 4 + 100 * 2 ** 20;
    expect(memory).toBeCloseTo((8.03e9 * 8.5) / 8 + 2 * context, -3);
    expect(fitsOn).toMatchObject({ cuda: false, cpu: expect.any(Boolean) });
  });

  it('counts what the prompts that are here take: a beginning that the other orders share once, a prompt for all samples', async () => {
    const source = path.join(folder, 'one.jsonl');
    const row = { id: 'q', question: 'x'.repeat(400), opa: 'a', opb: 'b', opc: 'c', opd: 'd', cop: 1 };
    writeFileSync(source, [row, { ...row, id: 'r', cop: 0 }].map((each) => JSON.stringify(each)).join('\n'));
    const { estimate } = await run('paper-medmcqa', { sources: new Map([['medmcqa', source]]) });
    const base = estimate!.models.find(({ model }) => model === 'llama-3-8b')!;
    const target = estimate!.models.find(({ model }) => model === 'llama-3-8b-instruct')!;
    const plain = `Question: ${row.question}\nA. a\nB. b\nC. c\nD. d\nAnswer:`;
    const request = '\n\nReply with JSON: {"answer": letter, "confidence": 0 to 100}.\nReply:';
    const density = tokenDensity([plain]);
    const tokens = (characters: number) => Math.ceil(density * characters - 1e-9);
    const stem = `Question: ${row.question}\nA. `.length;
    const orders = tokens(2 * (3 * plain.length - 2 * stem));
    const asked = tokens(2 * (plain.length - '\nAnswer:'.length + request.length));
    expect(base.tokens).toBe(tokens(2 * plain.length));
    expect([target.tokens, target.generatedTokens]).toEqual([base.tokens! + orders + 2 * asked, 2 * 6 * 13]);
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

  it('says where each file is named, and tells a file that should be here from one that is fetched', async () => {
    const own = path.join(folder, 'own');
    cpSync(path.join(root, 'models.yaml'), path.join(own, 'models.yaml'));
    cpSync(path.join(root, 'published'), path.join(own, 'published'), { recursive: true });
    writeFileSync(path.join(own, 'models.local.yaml'), 'models:\n  - { id: yi-1.5-9b, file: none.gguf }\n');
    const models = path.join(own, 'models.yaml');
    const { estimate, problems } = await run('paper-medmcqa', { models, targetIds: ['yi-1.5-9b-chat'] });
    const of = (id: string) => estimate!.models.find(({ model }) => model === id);
    const local = path.join(own, 'none.gguf');
    expect(of('yi-1.5-9b')).toMatchObject({ state: 'absent', namedIn: 'models.local.yaml:2', file: local });
    expect(of('yi-1.5-9b-chat')).toMatchObject({
      state: 'missing',
      namedIn: expect.stringMatching(/^models\.yaml:\d+$/),
      file: 'hf:bartowski/Yi-1.5-9B-Chat-GGUF/Yi-1.5-9B-Chat-Q8_0.gguf',
    });
    expect(problems[0]).toContain(`yi-1.5-9b: ${local}: no such model file`);
    expect([estimate!.models.length, estimate!.download.files]).toEqual([10, 9]);
  });

  it('takes the parameters of a file that is here from its header, whatever models.yaml says', async () => {
    const own = path.join(folder, 'header');
    cpSync(path.join(root, 'models.yaml'), path.join(own, 'models.yaml'));
    cpSync(path.join(root, 'published'), path.join(own, 'published'), { recursive: true });
    const file = path.join(root, 'models', 'demo', 'tern-base.gguf');
    writeFileSync(
      path.join(own, 'models.local.yaml'),
      `models:\n  - { id: yi-1.5-9b, file: ${JSON.stringify(file)} }\n`,
    );
    const models = path.join(own, 'models.yaml');
    const { estimate } = await run('paper-medmcqa', { models, targetIds: ['yi-1.5-9b-chat'] });
    const here = estimate!.models.find(({ model }) => model === 'yi-1.5-9b')!;
    expect(here.state).toBe('here');
    const { weights, work } = await checkModelFile(file, file);
    expect(weights).toBeGreaterThan(5e5);
    // The data set is not here: 4,183 rows of 57 tokens.
    // A row takes a millisecond beside its evaluation, the cache is read in pieces of 256. A tiny model has one core.
    const nanoseconds = work.perToken + 256 * work.perPosition + (work.perPrompt + 1e6) / 57;
    expect(here.speedFrom).toBe('counted');
    expect(here.tokensPerSecond! * nanoseconds).toBeCloseTo(1e9, 0);
    // One core, and a hash that is kept nowhere: a row is evaluated twice, and every byte read.
    const row = (57 / here.tokensPerSecond!) * 1e9;
    expect(here.startSeconds! * 1e9).toBeCloseTo(0.2e9 + 2048 * 6500 + 0.3 * here.bytes! + row + here.bytes!, 0);
    expect(here.hours! * 3600).toBeCloseTo((4183 * 57) / here.tokensPerSecond! + here.startSeconds!, 6);
  });

  it('counts one file under two ids once, and the tiny models of a suite side by side', async () => {
    const own = path.join(folder, 'twins');
    const file = (id: string) => JSON.stringify(path.join(root, 'models', 'demo', `${id}.gguf`));
    mkdirSync(own);
    writeFileSync(
      path.join(own, 'models.yaml'),
      `models:
  - { id: a, role: base, bucket: b, file: ${file('tern-base')} }
  - { id: a-again, role: base, bucket: b, file: ${file('tern-base')} }
  - { id: chatty, role: base, bucket: b, prompt: chat, file: ${file('tern-base')} }
  - { id: t, role: post-trained, base: a, bucket: b, file: ${file('tern-dpo')} }
suites:
  twins: { targets: [t], datasets: [demo-facts], methods: [vanilla, daca, supportcal], combinationSizes: [1] }
`,
    );
    const { estimate } = await run('twins', { models: path.join(own, 'models.yaml') });
    const [a, again, chatty, t] = ['a', 'a-again', 'chatty', 't'].map((id) =>
      estimate!.models.find(({ model }) => model === id),
    );
    expect(a!.tokens).toBeGreaterThan(20_000);
    expect(again).toMatchObject({ tokens: 0, startSeconds: 0, hours: 0 });
    expect(chatty!.tokens).toBeGreaterThan(20_000);
    expect(estimate!.cacheBytes).toBe(150 * 800 * 4);
    const sum = a!.hours! + chatty!.hours! + t!.hours!;
    const together = Math.max(sum / Math.min(4, availableParallelism()), t!.hours!);
    expect(estimate!.hours).toBeCloseTo(together + 1.5 / 3600, 9);
  });

  it('says which size is unknown, and gives no total then', () => {
    expect(estimateBytes({ parameters: 8, file: 'hf:o/r/m.Q8_0.gguf' })).toBe(8.5e9);
    expect(estimateBytes({ parameters: 8, file: 'hf:o/r/Q9.gguf' })).toBeNull();
    expect(estimateBytes({ file: 'hf:o/r/m.Q8_0.gguf' })).toBeNull();
    expect(estimateBytes({ parameters: 1, file: 'hf:o/r/m-IQ4_XS-00001-of-00002.gguf' })).toBeCloseTo(5.575e8, -3);
  });

  it('marks what is estimated in its table', async () => {
    const lines = describeEstimate((await run('paper-mathqa')).estimate!);
    expect(lines.join('\n')).toMatch(
      /^qwen2\.5-math-7b +missing +~8\.1 GB +~\d+\.\d GB +\S+ +~0\.25M +0 +~[\d.]+ +~.*$/m,
    );
    expect(lines.join('\n')).toMatch(/^ {2}time {7}\d+ days of scoring/m);
    expect(lines.join('\n')).toMatch(/^ {2}missing {4}data set mathqa, \d+ models \(marked in the table\)$/m);
  });
});
