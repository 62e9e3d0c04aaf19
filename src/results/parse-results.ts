import type { z } from 'zod';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { type Diagnostics, diagnosticsSchema } from './diagnostics-schema.js';
import { type Answers, answersSchema } from './examples/answers-schema.js';
import { type Examples, examplesSchema } from './examples/examples-schema.js';
import { manifestSchema, type RunManifest } from './manifest-schema.js';
import { type Results, resultsSchema } from './results-schema.js';
import type { RunResult } from './run-schema.js';

const MAX_FAULTS = 50;

/** Reads the text of results.json; throws `bad-input` with the path of every field that is not as it should be. */
export function parseResults(json: string, file: string): Results {
  const results = parseWith(resultsSchema, json, file);
  const faults = results.runs.flatMap((run, index) => temperatureFaults(run, index, file));
  throwFaults(faults, file);
  return results;
}

/** Reads the text of diagnostics.json; throws `bad-input` as `parseResults` does. */
export function parseDiagnostics(json: string, file: string): Diagnostics {
  return parseWith(diagnosticsSchema, json, file);
}

/** Reads the text of examples.json; throws `bad-input` as `parseResults` does. */
export function parseExamples(json: string, file: string): Examples {
  return parseWith(examplesSchema, json, file);
}

/** Reads the text of answers.json; throws `bad-input` as `parseResults` does. */
export function parseAnswers(json: string, file: string): Answers {
  return parseWith(answersSchema, json, file);
}

/** Reads what reports show of manifest.json; throws `bad-input` as `parseResults` does. */
export function parseManifest(json: string, file: string): RunManifest {
  return parseWith(manifestSchema, json, file);
}

/**
 * The text of results.json or diagnostics.json. A number that JSON cannot hold (NaN, infinity) is an internal fault:
 * JSON.stringify would write null without a word.
 */
export function stringifyResults(document: Results | Diagnostics): string {
  const check = ('runs' in document ? resultsSchema : diagnosticsSchema).safeParse(document);
  if (!check.success) {
    throw new SupportCalError(
      'internal',
      faultsOf(check.error, 'runs' in document ? 'results.json' : 'diagnostics.json'),
    );
  }
  // Nobody reads the numbers behind figures line by line, and indenting them doubles the file.
  return `${JSON.stringify(document, null, 'runs' in document ? 2 : undefined)}\n`;
}

function parseWith<T extends z.ZodType>(schema: T, json: string, file: string): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(json.replace(/^\ufeff/, ''));
  } catch (cause) {
    const message = `expected a JSON document, but ${(cause as Error).message}; run the calibrate stage again`;
    throw new SupportCalError('bad-input', { file, message }, { cause });
  }
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (typeof version === 'number' && version !== 1) {
    const message = `expected 1, found ${version}: another version of supportcal wrote this file; run the calibrate stage again`;
    throw new SupportCalError('bad-input', { file, field: 'schemaVersion', message });
  }
  throwFaults(oddNumbers(value, file), file);
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw new SupportCalError('bad-input', faultsOf(result.error, file));
  return result.data;
}

/** Fits end far above it; 1 over what is smaller would be infinite. */
const LEAST_TEMPERATURE = 1e-200;

/** Whatever a number counts or measures, none that a run writes is larger; one that is would leave every axis. */
const LARGEST = 1e100;

/** The numbers of a document that no run writes, each with its place. The walk needs no stack of its own depth. */
function oddNumbers(document: unknown, file: string): Fault[] {
  const faults: Fault[] = [];
  const waiting: [unknown, string][] = [[document, '']];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, field] = next;
    if (typeof value === 'number' && !(Math.abs(value) <= LARGEST)) {
      faults.push({ file, field, message: `expected a number of ordinary size, found ${value}` });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        if (typeof inner === 'object' || typeof inner === 'number')
          waiting.push([inner, field === '' ? key : `${field}.${key}`]);
    }
  }
  return faults;
}

function faultsOf(error: z.ZodError, file: string): Fault[] {
  return capped(
    error.issues.map((issue) => ({
      file,
      field: issue.path.map(String).join('.'),
      message: `${issue.message.replace(/^Invalid input: /, '')}${foundIn(issue)}`,
    })),
    file,
  );
}

/** The number that came, where the message of the schema does not say it. */
function foundIn({ input, message }: z.core.$ZodIssue): string {
  return typeof input === 'number' && !message.includes('received') ? `, found ${input}` : '';
}

/** A temperature stands beside the kind `finite` and nowhere else. */
function temperatureFaults(run: RunResult, index: number, file: string): Fault[] {
  const field = `runs.${index}.temperature`;
  if (run.temperatureKind === 'finite' && !(run.temperature !== null && run.temperature >= LEAST_TEMPERATURE)) {
    return [
      {
        file,
        field,
        message: `expected a number above 0, of ordinary size, for temperatureKind "finite", found ${run.temperature}`,
      },
    ];
  }
  if (run.temperatureKind !== 'finite' && run.temperature !== null) {
    return [
      { file, field, message: `expected null for temperatureKind "${run.temperatureKind}", found ${run.temperature}` },
    ];
  }
  return [];
}

function throwFaults(faults: Fault[], file: string): void {
  if (faults.length > 0) throw new SupportCalError('bad-input', capped(faults, file));
}

function capped(faults: Fault[], file: string): Fault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  return [...faults.slice(0, MAX_FAULTS), { file, message: `and ${faults.length - MAX_FAULTS} more faults` }];
}
