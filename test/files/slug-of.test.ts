import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readableSlug, slugOf } from '../../src/files/slug-of.js';

const labels = [
  'hf:org/repo:Q4_K_M',
  'con',
  'a b?.gguf',
  'M',
  'm',
  'x'.repeat(300),
  `${'x'.repeat(300)}y`,
  '..',
  '',
  '-',
  'é',
  'e',
  'a/b',
  'a\\b',
  '答案',
  '\0',
];

describe('slugOf', () => {
  it.each(labels)('makes %j safe on every file system', (label) => {
    const slug = slugOf(label);
    expect(slug).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*-[0-9a-f]{8}$/);
    expect(slug.length).toBeLessThanOrEqual(57);
  });

  it('keeps labels apart, also where case does not count', () => {
    expect(new Set(labels.map((label) => slugOf(label).toLowerCase())).size).toBe(labels.length);
  });

  it('stays readable', () => {
    expect(slugOf('hf:org/repo:Q4_K_M')).toMatch(/^hf-org-repo-Q4_K_M-/);
    expect(slugOf('Modèle à tester')).toMatch(/^Modele-a-tester-/);
    const readable = ['..a//b  c..', '-.x', '', '---', 'a.b_c', `${'y'.repeat(47)}-z`].map(readableSlug);
    expect(readable).toEqual(['a-b-c', 'x', 'x', 'x', 'a.b_c', 'y'.repeat(47)]);
  });

  it('keeps its hash, which names files of earlier releases', () => {
    expect(slugOf('hf:org/repo:Q4_K_M')).toBe(
      `hf-org-repo-Q4_K_M-${createHash('sha256').update('"hf:org/repo:Q4_K_M"').digest('hex').slice(0, 8)}`,
    );
  });
});
