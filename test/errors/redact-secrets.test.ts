import { describe, expect, it } from 'vitest';
import { redactSecrets, secretsOf, withoutSecrets } from '../../src/errors/redact-secrets.js';
import { SupportCalError } from '../../src/errors/supportcal-error.js';

describe('redactSecrets', () => {
  it('hides hub tokens wherever they stand', () => {
    expect(redactSecrets('denied for hf_CANARY123abc, sorry')).toBe('denied for hf_***, sorry');
  });

  it('hides users, passwords and tokens inside addresses, and leaves the rest of them', () => {
    expect(redactSecrets('GET https://me:pass1@host/a?x=1&token=CANARY&y=2 failed')).toBe(
      'GET https://***@host/a?x=1&token=***&y=2 failed',
    );
    expect(redactSecrets('https://h/f?X-Amz-Signature=CANARY#p')).toBe('https://h/f?X-Amz-Signature=***#p');
  });

  it('hides the values of secret variables of the environment, whatever they look like', () => {
    const env = { HF_TOKEN: 'CANARYvalue', OPENAI_API_KEY: 'sk-CANARY-2', HOME: '/home/somebody', MY_TOKEN: 'short' };
    expect(secretsOf(env).sort()).toEqual(['CANARYvalue', 'sk-CANARY-2']);
    expect(redactSecrets('with CANARYvalue and sk-CANARY-2 in /home/somebody', secretsOf(env))).toBe(
      'with *** and *** in /home/somebody',
    );
    expect(withoutSecrets(env)).toEqual({ HOME: '/home/somebody', MY_TOKEN: 'short' });
  });

  it('leaves ordinary text alone', () => {
    const text = 'models.yaml:3:5: models.0.file: key "hf:org/repo/file.gguf" of half_life, 5 tokens';
    expect(redactSecrets(text)).toBe(text);
  });
});

describe('a SupportCalError', () => {
  it('carries no token, and no message that fills the screen', () => {
    const error = new SupportCalError('bad-input', {
      file: 'https://h/m.gguf?token=hf_CANARY123',
      field: 'x'.repeat(10_000),
      message: `found hf_CANARY123 in ${'y'.repeat(10_000)}`,
    });
    expect(error.message).not.toContain('CANARY');
    expect(error.message.length).toBeLessThan(3_000);
    expect(JSON.stringify(error.faults)).not.toContain('CANARY');
  });
});
