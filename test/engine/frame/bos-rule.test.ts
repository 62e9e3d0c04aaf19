import { describe, expect, it } from 'vitest';
import { bosRule } from '../../../src/engine/frame/bos-rule.js';

const info = { bos: { id: 1, text: '<s>' }, addBosKey: null, addBosDefault: false, vocabularyType: 'spm' };

describe('bosRule', () => {
  it('follows the key of the file', () => {
    expect(bosRule('auto', { ...info, addBosKey: true })).toMatchObject({
      add: true,
      reason: 'the file says add_bos_token = true',
    });
    expect(bosRule('auto', { ...info, addBosKey: false })).toMatchObject({ add: false });
  });

  it.each([
    ['spm', false, true],
    ['wpm', false, true],
    ['bpe', true, true],
    ['bpe', false, false],
    ['ugm', true, false],
    ['rwkv', true, false],
  ])(
    'without the key a %s vocabulary (default of llama.cpp: %s) gets one: %s',
    (vocabularyType, addBosDefault, add) => {
      const decision = bosRule('auto', { ...info, vocabularyType, addBosDefault });
      expect(decision.add).toBe(add);
      expect(decision.reason).toContain(`lacks add_bos_token; rule for ${vocabularyType}`);
    },
  );

  it('lets models.yaml decide against the file', () => {
    expect(bosRule('never', { ...info, addBosKey: true }).add).toBe(false);
    expect(bosRule('always', { ...info, addBosKey: false }).add).toBe(true);
  });

  it('adds none when the file has no start token', () => {
    expect(bosRule('auto', { ...info, bos: null })).toEqual({ add: false, reason: 'the file names no start token' });
    expect(bosRule('never', { ...info, bos: null }).add).toBe(false);
  });

  it('refuses `always` for a file without a start token that can be used', () => {
    expect(() => bosRule('always', { ...info, bos: null })).toThrow(/`bos: always`, but the file names no start token/);
    expect(() => bosRule('always', { ...info, bos: { id: 7, text: '' } })).toThrow(/token 7 .* has no text/);
  });
});
