import type { Fault } from '../errors/supportcal-error.js';
import {
  type ModelSpec,
  type ModelsFile,
  modelSchema,
  modelsFileSchema,
  type SuiteSpec,
  suiteSchema,
} from './models-schema.js';
import { tryMatch } from './yaml/check-schema.js';
import { withoutFaults } from './yaml/without-faults.js';
import type { YamlDocument } from './yaml/yaml-document.js';

export interface MatchedModels extends ModelsFile {
  readonly faults: readonly Fault[];
  /** Ids whose role could not be read. */
  readonly guessed: ReadonlySet<string>;
  /** Suites of which nothing could be read. */
  readonly lost: readonly string[];
}

/**
 * models.yaml against its schema. With faults, the entries as far as they can be read: each model and suite on its own,
 * in its place, without what is wrong in it.
 */
export function writtenModels(document: YamlDocument): MatchedModels {
  const { data, faults } = tryMatch(modelsFileSchema, document);
  if (data !== null) return { ...data, faults, guessed: new Set(), lost: [] };
  const { quant, models, suites } = asMap(document.value);
  const guessed = new Set<string>();
  const read: Record<string, SuiteSpec> = {};
  const lost: string[] = [];
  for (const [name, written] of Object.entries(asMap(suites))) {
    const suite = withoutFaults(suiteSchema, written);
    if (suite === null) lost.push(name);
    else read[name] = suite;
  }
  return {
    ...withoutFaults(modelsFileSchema.pick({ quant: true }), { quant }),
    models: (Array.isArray(models) ? models : []).map((each, i) => modelOf(asMap(each), i, guessed)),
    suites: read,
    faults,
    guessed,
    lost,
  };
}

/** The id that stands for one which could not be read. */
export function isMadeId(id: string): boolean {
  return id.startsWith(MADE);
}

const MADE = '(model without an id, ';

/** An entry without its faults; what it must have and lacks is made up, so that the others keep their places. */
function modelOf(written: Record<string, unknown>, i: number, guessed: Set<string>): ModelSpec {
  const { shape } = modelSchema;
  const made = { id: `${MADE}entry ${i + 1})`, role: written.base === undefined ? 'base' : 'post-trained' } as const;
  const id = shape.id.safeParse(written.id);
  const role = shape.role.safeParse(written.role);
  const known = { id: id.success ? id.data : made.id, role: role.success ? role.data : made.role };
  if (!role.success) guessed.add(known.id);
  return withoutFaults(modelSchema, { ...written, ...known })!;
}

function asMap(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
