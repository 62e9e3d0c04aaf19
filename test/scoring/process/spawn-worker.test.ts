import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forkModule } from '../../../src/scoring/process/spawn-worker.js';
import { temporaryFolder } from '../../files/temporary-folder.js';

afterEach(() => vi.unstubAllEnvs());

describe('a child process', () => {
  it('gets the environment without its secrets, and what is given to it on top', async () => {
    const module = path.join(temporaryFolder(), 'child.mjs');
    writeFileSync(module, 'process.send(process.env, () => process.disconnect());');
    vi.stubEnv('HF_TOKEN', 'hf_CANARY-of-a-test');
    vi.stubEnv('SUPPORTCAL_TEST_NAME', 'seen');
    const child = forkModule(pathToFileURL(module), [], { GIVEN: 'too' });
    const [env] = await once(child, 'message');
    expect(env).toMatchObject({ SUPPORTCAL_TEST_NAME: 'seen', GIVEN: 'too' });
    expect(JSON.stringify(env)).not.toContain('CANARY');
  });
});
