import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { applyTemperature, ece, fitArtefact } from '../../src/core.js';
import { startChromium } from './chromium.js';

const target = Array.from({ length: 50 }, (_, n) => [0, 1, 2].map((k) => 6 * Math.sin(7 * n + 3 * k)));
const ownBase = target.map((row) => row.map((value, k) => value / 3 + Math.cos(k + value)));

test('the built core is a module that a browser runs, with the numbers that Node has', async () => {
  const { freshBuild } = (await import('../../scripts/build.mjs' as string)) as { freshBuild(): Promise<string> };
  const code = readFileSync(path.join(await freshBuild(), 'core.js'), 'utf8');
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    // As text: what imports and what is imported here would be the test runner's.
    const found = await page.evaluate(`(async () => {
      const code = new Blob([${JSON.stringify(code)}], { type: 'text/javascript' });
      const core = await import(URL.createObjectURL(code));
      const [target, ownBase] = ${JSON.stringify([target, ownBase])};
      const artefact = core.fitArtefact(target, ownBase, { other: ownBase });
      return { artefact, said: core.applyTemperature([3, 1, 0], artefact), ece: core.ece([0.9, 0.6], [true, false]) };
    })()`);
    const artefact = fitArtefact(target, ownBase, { other: ownBase });
    expect(artefact.temperatureKind).toBe('finite');
    // Math.exp of another V8 may differ in the last bit.
    const rounded = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'number' ? Number(each.toPrecision(12)) : each));
    const here = { artefact, said: applyTemperature([3, 1, 0], artefact), ece: ece([0.9, 0.6], [true, false]) };
    expect(rounded(found)).toEqual(rounded(here));
  } finally {
    await browser.close();
  }
});
