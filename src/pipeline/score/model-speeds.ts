import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Device } from '../../contract/device.js';
import type { ModelOutcome } from '../../contract/scorer.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import { deviceFor } from '../../scoring/device/device-for.js';
import type { ModelPlan } from './score-plan.js';

/** How fast a model was when it was last scored: tokens evaluated in wall seconds from load to end. */
export interface ModelSpeed {
  readonly tokens: number;
  readonly seconds: number;
  /** When that scoring ended, ISO 8601. */
  readonly at: string;
}

type Speeds = Readonly<Record<string, ModelSpeed>>;

/**
 * `speeds.json` in the cache folder, so that a run that finds every score in the cache can still say how fast they came
 * about. By model file and device the last scoring that evaluated at least half as many tokens as the one before it: a
 * resumed remainder would time little but the load.
 */
export async function keepSpeeds(
  cacheDir: string,
  plans: readonly ModelPlan[],
  outcomes: readonly ModelOutcome[],
  device: Device,
): Promise<void> {
  const known = await readSpeeds(cacheDir);
  const fresh: Record<string, ModelSpeed> = {};
  for (const outcome of outcomes) {
    if (outcome.kind !== 'done' || outcome.tokens === 0) continue;
    const plan = plans.find(({ model }) => model.id === outcome.model);
    const key = plan === undefined ? null : keyOf(plan, deviceFor(plan.model, device));
    if (key === null || outcome.tokens < (known[key]?.tokens ?? 0) / 2) continue;
    fresh[key] = { tokens: outcome.tokens, seconds: outcome.seconds, at: new Date().toISOString() };
  }
  if (Object.keys(fresh).length === 0) return;
  // A note beside the scores: a run does not fail for want of it.
  await writeFileAtomic(fileIn(cacheDir), `${JSON.stringify({ ...known, ...fresh }, null, 2)}\n`).catch(() => {});
}

/** The kept speed of a planned model on the device of its scores; null where none is known. */
export async function speedLookup(
  cacheDir: string,
): Promise<(plan: ModelPlan, device: string | undefined) => ModelSpeed | null> {
  const known = await readSpeeds(cacheDir);
  return (plan, device) => known[keyOf(plan, device ?? '') ?? ''] ?? null;
}

function keyOf({ found }: ModelPlan, device: string): string | null {
  return found === null ? null : `${found.sha256} ${device}`;
}

function fileIn(cacheDir: string): string {
  return path.join(cacheDir, 'speeds.json');
}

/** Nothing where the file is missing or no longer what it was. */
async function readSpeeds(cacheDir: string): Promise<Speeds> {
  try {
    const speeds = Object.entries(JSON.parse(await readFile(fileIn(cacheDir), 'utf8')) as Record<string, unknown>);
    return Object.fromEntries(speeds.filter((each): each is [string, ModelSpeed] => isSpeed(each[1])));
  } catch {
    return {};
  }
}

function isSpeed(value: unknown): boolean {
  const { tokens, seconds, at } = (value ?? {}) as Partial<ModelSpeed>;
  return typeof tokens === 'number' && typeof seconds === 'number' && seconds > 0 && typeof at === 'string';
}
