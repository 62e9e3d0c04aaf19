import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startableModule, startsFast, startThread } from '../../src/files/startable-module.js';
import { temporaryFolder } from './temporary-folder.js';

describe('a module that another process or thread starts', () => {
  const built = pathToFileURL('/dist/worker.js');
  const source = pathToFileURL('/src/worker.ts');

  it('needs tsx when it, or one that it is to import, is a source', () => {
    const tsx = ['--import', expect.stringMatching(/^file:.*\/tsx\//)];
    expect(startableModule(built)).toEqual({ path: '/dist/worker.js', execArgv: [] });
    expect(startableModule(built, [pathToFileURL('/dist/b.js').href, 'no url'])).toMatchObject({ execArgv: [] });
    expect(startableModule(source)).toEqual({ path: '/src/worker.ts', execArgv: tsx });
    expect(startableModule(built, [pathToFileURL('/src/b.ts').href])).toMatchObject({ execArgv: tsx });
    expect([startsFast(built), startsFast(source)]).toEqual([true, false]);
  });

  it('runs in a thread with the data given to it', async () => {
    const file = path.join(temporaryFolder(), 'worker.mjs');
    const lines = [
      "import { parentPort, workerData } from 'node:worker_threads';",
      'parentPort.postMessage(workerData + 1);',
    ];
    writeFileSync(file, lines.join('\n'));
    const worker = startThread(pathToFileURL(file), { workerData: 41 });
    expect((await once(worker, 'message'))[0]).toBe(42);
    await worker.terminate();
  });
});
