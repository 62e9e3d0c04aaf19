import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { loadModels } from '../../src/config/load-models.js';
import type { SupportCalError } from '../../src/errors/supportcal-error.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-local-models-'));
const at = (name: string) => path.join(folder, name);
const local = (text: string) => writeFileSync(at('models.local.yaml'), text);
const SHA = 'a'.repeat(64);

beforeEach(() => {
  rmSync(at('models.local.yaml'), { force: true });
  writeFileSync(
    at('models.yaml'),
    `models:
  - {id: b, role: base, file: "hf:owner/repo/b.{quant}.gguf", sha256: ${SHA}}
  - {id: t, role: post-trained, base: b, file: "hf:owner/repo/t-{quant}.gguf"}
suites: {s: {datasets: [d]}}
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const files = async (quant?: string) =>
  (await loadModels(at('models.yaml'), quant === undefined ? {} : { quant })).models.map(({ file }) => file);
const faults = async () =>
  ((await loadModels(at('models.yaml')).catch((error) => error)) as SupportCalError).faults ?? [];

describe('models.local.yaml', () => {
  it('puts a file of this machine in the place of one of the hub, whose hash no longer holds', async () => {
    local('models: [{ id: b, file: mine.gguf }]\n');
    const { models, localFile } = await loadModels(at('models.yaml'));
    expect(models[0]).toMatchObject({ id: 'b', file: at('mine.gguf') });
    expect(models[0]).not.toHaveProperty('sha256');
    expect(models[1]!.file).toBe('hf:owner/repo/t-Q8_0.gguf');
    expect(localFile).toBe(at('models.local.yaml'));
  });

  it('is where a fault of its file is reported', async () => {
    local('models:\n  - id: b\n    file: mine.gguf\n');
    const loaded = await loadModels(at('models.yaml'));
    expect(loaded.placeOfFile(loaded.models[0]!)).toMatchObject({ file: at('models.local.yaml'), line: 3 });
    expect(loaded.placeOfFile(loaded.models[1]!)).toMatchObject({ file: at('models.yaml'), line: 3 });
  });

  it('is refused with file, line and column where it names an unknown model or one twice', async () => {
    local('models:\n  - {id: bb, file: x}\n  - {id: t, file: x}\n  - {id: t, file: y}\n');
    expect(await faults()).toEqual([
      expect.objectContaining({
        file: at('models.local.yaml'),
        line: 2,
        message: expect.stringContaining('no model "bb"'),
      }),
      expect.objectContaining({ line: 4, message: expect.stringContaining('twice') }),
    ]);
    local('models: [{ id: b, fil: x }]\n');
    expect(await faults()).toContainEqual(
      expect.objectContaining({ file: at('models.local.yaml'), line: 1, column: 19, field: 'models.0.fil' }),
    );
  });

  it('may choose the quantisation, before models.yaml and behind the flag', async () => {
    expect(await files()).toEqual(['hf:owner/repo/b.Q8_0.gguf', 'hf:owner/repo/t-Q8_0.gguf']);
    local('quant: Q6_K\n');
    expect(await files()).toEqual(['hf:owner/repo/b.Q6_K.gguf', 'hf:owner/repo/t-Q6_K.gguf']);
    expect(await files('F16')).toEqual(['hf:owner/repo/b.F16.gguf', 'hf:owner/repo/t-F16.gguf']);
  });
});
