import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../src/config/yaml/yaml-document.js';
import { SupportCalError } from '../../../src/errors/supportcal-error.js';

function faultsOf(text: string) {
  try {
    parseYaml(text, 'm.yaml');
  } catch (error) {
    if (error instanceof SupportCalError) return error.faults;
    throw error;
  }
  return [];
}

describe('parseYaml', () => {
  it('keeps yes, no and maybe as strings', () => {
    expect(parseYaml('labels: [yes, no, maybe]\ny: 1\n', 'm.yaml').value).toEqual({
      labels: ['yes', 'no', 'maybe'],
      y: 1,
    });
  });

  it('refuses a %YAML directive, which would turn them into booleans', () => {
    expect(faultsOf('%YAML 1.1\n---\nlabels: [yes, no]\n')[0]).toMatchObject({ file: 'm.yaml', line: 1 });
  });

  it('reports a repeated key with its line and column', () => {
    expect(faultsOf('a: 1\nseed: 1\nseed: 2\n')[0]).toMatchObject({
      line: 3,
      column: 1,
      message: expect.stringMatching(/key seed stands twice/),
    });
  });

  it('reports every syntax fault of the file at once', () => {
    expect(faultsOf('a: 1\na: 2\nb: 1\nb: 2\n')).toHaveLength(2);
  });

  it('refuses a second document, unknown tags, an empty file and __proto__', () => {
    expect(faultsOf('a: 1\n---\nb: 2\n')[0]!.message).toMatch(/second YAML document/);
    expect(faultsOf('a: !what 1\n')).not.toEqual([]);
    expect(faultsOf('# nothing\n')[0]!.message).toMatch(/empty/);
    expect(faultsOf('__proto__: {tau: 1}\n')[0]!.message).toMatch(/__proto__/);
    expect(({} as { tau?: number }).tau).toBeUndefined();
  });

  it('follows 500 honest uses of one alias, and merges << on purpose', () => {
    const uses = Array.from({ length: 500 }, (_, i) => `e${i}:\n  <<: *d\n  n: ${i}`).join('\n');
    const value = parseYaml(`d: &d {batch: 7}\n${uses}\n`, 'm.yaml').value as Record<string, unknown>;
    expect(value.e499).toEqual({ batch: 7, n: 499 });
  });

  it.each([
    [
      '90,000 keys of one map',
      Array.from({ length: 90_000 }, (_, n) => `k${n}: 1\n`).join(''),
      /500000 words and signs/,
    ],
    ['one key 60,000 times', 'k: 1\n'.repeat(60_000), /the key k stands twice/],
    [
      '20,000 anchors, each used',
      Array.from({ length: 20_000 }, (_, n) => `- &a${n} x\n- *a${n}\n`).join(''),
      /too long to follow/,
    ],
  ])('refuses %s in a moment', (_, text, message) => {
    const before = process.cpuUsage();
    expect(faultsOf(text)[0]!.message).toMatch(message);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  it('takes 1 and "1" for one key, as the data they become do', () => {
    expect(faultsOf('1: a\n"1": b\n')).toMatchObject([
      { line: 2, message: expect.stringContaining('the key 1 stands twice') },
    ]);
  });

  it('refuses an alias bomb by its expanded size, and a cycle', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    expect(faultsOf(bomb.join('\n'))[0]).toMatchObject({ message: expect.stringMatching(/expand/), line: 6 });
    expect(faultsOf('a: &a {b: *a}\n')[0]!.message).toMatch(/contains itself/);
  });

  it('refuses absurd nesting instead of overflowing the stack', () => {
    expect(faultsOf(`a: ${'['.repeat(300)}${']'.repeat(300)}`)[0]!.message).toMatch(/nested deeper/);
  });

  it('refuses brackets, dashes and indents by the thousand in no time, with a line', () => {
    const indents = Array.from({ length: 1_500 }, (_, n) => `${' '.repeat(n)}k:\n`).join('');
    for (const text of ['['.repeat(1_000_000), '- '.repeat(200_000), '{a: '.repeat(50_000), indents]) {
      const started = performance.now();
      const [fault] = faultsOf(text);
      expect(fault?.message).toBe('nested deeper than 64 levels');
      expect(fault?.line).toBeGreaterThanOrEqual(1);
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });

  it('refuses an alias without anchor, a merge of no map and keys that are no text, each with its line', () => {
    expect(faultsOf('a: 1\nb: *x\n')).toMatchObject([{ line: 2, message: 'no anchor &x stands before this alias' }]);
    for (const source of ['2', '*x', '[*y, 3]']) {
      const text = `x: &x 1\ny: &y {q: 1}\nz:\n  <<: ${source}\n`;
      expect(faultsOf(text)).toMatchObject([{ line: 4, message: 'Merge sources must be maps or map aliases' }]);
    }
    for (const key of ['? [a]\n', '? {a: 1}\n', '!!binary aGk=']) {
      const [fault] = faultsOf(`${key}: 1\n`);
      expect(fault).toMatchObject({ line: 1, message: expect.stringContaining('a key must be plain text') });
    }
  });

  it('lists at most 50 faults of a file and counts the rest', () => {
    const faults = faultsOf(`a: [${'"x" "y", '.repeat(300)}]\n`);
    expect(faults.length).toBe(51);
    expect(faults.at(-1)?.message).toMatch(/^and \d+ more faults$/);
  });

  it('locates a field, or its nearest ancestor that is written', () => {
    const document = parseYaml('models:\n  - id: a\n  - id: b\n    base: c\n', 'm.yaml');
    expect(document.locate(['models', 1, 'base'])).toEqual({ line: 4, column: 5 });
    expect(document.locate(['models', 1, 'file'])).toEqual({ line: 3, column: 5 });
  });
});
