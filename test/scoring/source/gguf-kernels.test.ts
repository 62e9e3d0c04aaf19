import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelSpec } from '../../../src/config/models-schema.js';
import { forgetBuild } from '../../../src/library/chosen-build.js';
import { ggufIdentity } from '../../../src/scoring/source/gguf-identity.js';

const MODEL = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw', file: 'm.gguf' } as ModelSpec;
const FILES = { sha256: 'a'.repeat(64), bytes: 1e9, lora: [] };

afterEach(() => {
  vi.unstubAllEnvs();
  forgetBuild();
});

describe('the identity of a GGUF model', () => {
  it('says nothing of kernels while the prebuilt binary is used, as in entries of old', () => {
    vi.stubEnv('SUPPORTCAL_BUILD', 'prebuilt');
    expect(ggufIdentity(MODEL, FILES, 'cuda')).not.toHaveProperty('kernels');
  });

  it('is that of the CPU for a model that models.yaml gives to it, whatever device scores the others', () => {
    const beside = { ...MODEL, scoring: { device: 'cpu' as const } };
    expect(ggufIdentity(beside, FILES, 'cuda')).toEqual(ggufIdentity(MODEL, FILES, 'cpu'));
    expect(ggufIdentity(MODEL, FILES, 'cuda')).not.toEqual(ggufIdentity(MODEL, FILES, 'cpu'));
  });

  it('refuses a build that nobody can make out', () => {
    for (const text of ['{', '{"cmake":{}}', 'own']) {
      vi.stubEnv('SUPPORTCAL_BUILD', text);
      expect(() => ggufIdentity(MODEL, FILES, 'cuda')).toThrow(/SUPPORTCAL_BUILD.*expected prebuilt/);
    }
  });

  it('names the kernels of a build of ones own on the device that they are for', () => {
    const build = { cmake: { B: '2', A: '1' }, variables: { GGML_X: 'y' }, compiler: 'CUDA 13.0' };
    vi.stubEnv('SUPPORTCAL_BUILD', JSON.stringify(build));
    expect(ggufIdentity(MODEL, FILES, 'cuda')).toHaveProperty('kernels', 'A=1 B=2 GGML_X=y CUDA 13.0');
    expect(ggufIdentity(MODEL, FILES, 'vulkan')).not.toHaveProperty('kernels');
    expect(ggufIdentity(MODEL, FILES, 'cpu')).not.toHaveProperty('kernels');
  });

  it('names those of a build for the CPU in the rows of the CPU alone', () => {
    const build = { device: 'cpu', cmake: { GGML_NATIVE: 'ON' }, variables: {}, compiler: 'GCC 12.2.0 for EPYC' };
    const beside = { cmake: { A: '1' }, variables: {}, compiler: 'CUDA 13.0' };
    vi.stubEnv('SUPPORTCAL_BUILD', JSON.stringify([beside, build]));
    expect(ggufIdentity(MODEL, FILES, 'cpu')).toHaveProperty('kernels', 'GGML_NATIVE=ON GCC 12.2.0 for EPYC');
    expect(ggufIdentity(MODEL, FILES, 'cuda')).toHaveProperty('kernels', 'A=1 CUDA 13.0');
    expect(ggufIdentity(MODEL, FILES, 'vulkan')).not.toHaveProperty('kernels');
  });
});
