import { SupportCalError } from '../../errors/supportcal-error.js';
import { artefactSchema, type CalibrationArtefact } from './artefact-schema.js';

/** Reads the text of a calibration artefact; throws `bad-input` with every field that is not as it should be. */
export function parseArtefact(text: string, file: string): CalibrationArtefact {
  const fail = (message: string, field?: string) => new SupportCalError('bad-input', { file, field, message });
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw fail(`expected a JSON document, but ${(error as Error).message}; write it with \`supportcal export\``);
  }
  const { kind, schemaVersion } = (value ?? {}) as { kind?: unknown; schemaVersion?: unknown };
  if (kind !== 'supportcal-calibration')
    throw fail('is no calibration artefact; `supportcal export` writes them', 'kind');
  if (schemaVersion !== 1)
    throw fail(
      `expected 1, found ${JSON.stringify(schemaVersion)}: another version of supportcal wrote it`,
      'schemaVersion',
    );
  const { success, error, data } = artefactSchema.safeParse(value);
  if (success) return data;
  const faults = error.issues.map((issue) => ({
    file,
    field: issue.path.map(String).join('.'),
    message: issue.message.replace(/^Invalid input: /, ''),
  }));
  throw new SupportCalError('bad-input', faults.slice(0, 50));
}

/** The text of an artefact; one that its own reader would refuse is an internal fault. */
export function stringifyArtefact(artefact: CalibrationArtefact): string {
  const check = artefactSchema.safeParse(artefact);
  if (!check.success) throw new SupportCalError('internal', `the artefact breaks its schema: ${check.error.message}`);
  return `${JSON.stringify(artefact, null, 2)}\n`;
}
