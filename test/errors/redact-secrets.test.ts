import { describe, expect, it } from 'vitest';
import { knowSecrets, redactSecrets, secretsOf, withoutSecrets } from '../../src/errors/redact-secrets.js';
import { SupportCalError } from '../../src/errors/supportcal-error.js';

/** As long as a token of the hub. */
const TOKEN = `hf_${'Budgie123a'.repeat(4).slice(0, 34)}`;

describe('redactSecrets', () => {
  it('hides hub tokens wherever they stand, and no name that only begins like one', () => {
    expect(redactSecrets(`denied for ${TOKEN}, sorry`)).toBe('denied for hf_***, sorry');
    for (const name of ['hf_llama3base', 'hf_models/hf_llama3base-Q8_0.gguf', `${TOKEN}andmore`])
      expect(redactSecrets(name)).toBe(name);
  });

  it('hides what the process has read as a secret, also where an address encodes it, the longest first', () => {
    knowSecrets(['CANARY/one=two', 'CANARY/one=two+three', 'short']);
    const text = 'GET /CANARY%2Fone%3Dtwo with CANARY/one=two+three and CANARY/one=two, short';
    expect(redactSecrets(text)).toBe('GET /*** with *** and ***, short');
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
      file: 'https://h/m.gguf?token=CANARY123',
      field: 'x'.repeat(10_000),
      message: `found ${TOKEN} in ${'y'.repeat(10_000)}`,
    });
    expect(error.message).not.toMatch(/CANARY|Budgie/);
    expect(error.message.length).toBeLessThan(3_000);
    expect(JSON.stringify(error.faults)).not.toContain('CANARY');
  });
});
