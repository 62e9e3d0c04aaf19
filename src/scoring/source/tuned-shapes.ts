import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import { kernelsOf } from '../../library/chosen-build.js';
import { llamaCppRelease } from '../../library/native-versions.js';
import { deviceFor } from '../device/device-for.js';

/** What `doctor --tune` found for models of one shape on one card. */
export interface TunedShape {
  readonly device: Device;
  /** Name of the card as its driver says it. */
  readonly card: string;
  /** Release of llama.cpp, and the kernels of a build of one's own. */
  readonly library: string;
  /** Size of the model's file, which stands for the shape of the model. */
  readonly bytes: number;
  /** What is other than without tuning; empty: nothing is faster. */
  readonly scoring: Readonly<Partial<Record<'contexts' | 'sequences' | 'batchSize', number>>>;
  /** How many times as fast as the default it was. */
  readonly gain: number;
  readonly tunedAt: string;
}

/** No search gets so far: more is damage. */
const MOST: Readonly<Record<string, number>> = { contexts: 16, sequences: 1024, batchSize: 65_536 };

/** What a shape was found for. */
type TunedFor = Pick<TunedShape, 'device' | 'card' | 'library' | 'bytes'>;

/** Base and post-trained model of one shape and file type differ by less: template and names of tokens. */
const SAME_SHAPE = 0.01;

export function isSameShape(bytes: number, others: number): boolean {
  return Math.abs(bytes - others) <= SAME_SHAPE * Math.max(bytes, others);
}

export function tunedFor(device: Device, card: string, bytes: number): TunedFor {
  return { device, card, bytes, library: [llamaCppRelease(), kernelsOf(device) ?? ''].join(' ').trim() };
}

/** A model as it is declared, the size of its file, and where it runs; `card` null: on whichever was tuned for. */
export interface SoughtShape {
  readonly model: ModelSpec;
  readonly bytes: number;
  readonly device: Device;
  readonly card: string | null;
}

/**
 * `tuned.json` in the cache folder: shapes of evaluation that were measured to be faster than the default. The function
 * gives a model as if models.yaml said them, once for each that was found; what models.yaml does say stays. Sequences
 * and tokens of a batch are then part of the key of its rows, contexts change no score.
 */
export async function tunedModels(cacheDir: string): Promise<(sought: SoughtShape) => ModelSpec[]> {
  const known = await readTuned(cacheDir);
  return ({ model, bytes, device: ofRun, card }) => {
    const device = deviceFor(model, ofRun);
    return known
      .filter((each) => isFor(each, tunedFor(device, card ?? each.card, bytes)))
      .filter(({ scoring }) => Object.keys(scoring).length > 0)
      .map(({ scoring }) => ({ ...model, scoring: { ...scoring, ...model.scoring } }));
  };
}

/** Whether a faster shape was looked for, found or not. */
export async function wasTuned(cacheDir: string, sought: TunedFor): Promise<boolean> {
  return (await readTuned(cacheDir)).some((each) => isFor(each, sought));
}

/** Takes the place of what was found for the same card and shape before. */
export async function keepTuned(cacheDir: string, tuned: TunedShape): Promise<void> {
  const others = (await readTuned(cacheDir)).filter((each) => !isFor(each, tuned));
  await writeFileAtomic(fileIn(cacheDir), `${JSON.stringify([...others, tuned], null, 2)}\n`);
}

function isFor(each: TunedShape, { device, card, library, bytes }: TunedFor): boolean {
  return isSameShape(each.bytes, bytes) && each.device === device && each.card === card && each.library === library;
}

function fileIn(cacheDir: string): string {
  return path.join(cacheDir, 'tuned.json');
}

/** Nothing where the file is missing or no longer what it was: then the default shape is taken. */
async function readTuned(cacheDir: string): Promise<readonly TunedShape[]> {
  try {
    const all: unknown = JSON.parse(await readFile(fileIn(cacheDir), 'utf8'));
    return Array.isArray(all) && all.every(isTuned) ? all : [];
  } catch {
    return [];
  }
}

function isTuned(value: unknown): value is TunedShape {
  const { bytes, gain, scoring, ...texts } = Object(value) as Record<string, unknown>;
  const settings = Object.entries(Object(scoring) as Record<string, unknown>);
  return (
    ['device', 'card', 'library', 'tunedAt'].every((name) => typeof texts[name] === 'string') &&
    [bytes, gain].every((number) => typeof number === 'number' && number > 0) &&
    settings.every(([name, set]) => Number.isSafeInteger(set) && Number(set) > 0 && Number(set) <= (MOST[name] ?? 0))
  );
}
