import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../files/write-file-atomic.js';

interface Stages {
  run?: { stages?: { stage: string; seconds: number }[] };
}

/**
 * Adds the seconds of a stage to manifest.json of a run, in place of those of an earlier pass of the same stage: the
 * report ends after the manifest was written. A run without a manifest of this version stays as it is.
 */
export async function noteStage(folder: string, stage: string, seconds: number): Promise<void> {
  const file = path.join(folder, 'manifest.json');
  const text = await readFile(file, 'utf8').catch(() => null);
  const manifest = text === null ? null : (JSON.parse(text) as Stages | null);
  const stages = manifest?.run?.stages;
  if (!Array.isArray(stages)) return;
  manifest!.run!.stages = [...stages.filter((each) => each.stage !== stage), { stage, seconds }];
  await writeFileAtomic(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
