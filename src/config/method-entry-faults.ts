import { METHOD_NAMES } from '../calibration/methods.js';
import { nearest } from '../errors/nearest.js';
import type { Fault } from '../errors/supportcal-error.js';

/** Names that reports use for other things than methods. */
const RESERVED = ['own-base'];
const NAME = /^[a-z0-9][\w+.-]{0,59}$/i;

interface Kind {
  readonly field: 'weight' | 'doubt' | 'temperature';
  readonly needs: readonly string[];
  readonly optional: readonly string[];
}

const KINDS: readonly Kind[] = [
  { field: 'weight', needs: ['own-base', 'references'], optional: ['logWeight'] },
  { field: 'doubt', needs: ['own-base', 'pool'], optional: ['experimental'] },
  { field: 'temperature', needs: ['nothing'], optional: [] },
];
export const METHOD_FIELDS: readonly string[] = [
  'name',
  'needs',
  ...KINDS.flatMap(({ field, optional }) => [field, ...optional]),
];

/** What is wrong with a value that should be an entry of the methods table; `at` is where it stands in its module. */
export function methodEntryFaults(entry: unknown, at: string): Fault[] {
  if (typeof entry !== 'object' || entry === null) {
    return [{ field: at, message: `expected an entry { name, needs, weight }, found ${describe(entry)}` }];
  }
  const given = entry as Readonly<Record<string, unknown>>;
  const fault = (field: string, message: string): Fault => ({ field: `${at}.${field}`, message });
  const faults = nameFaults(given.name).map((message) => fault('name', message));
  const kinds = KINDS.filter(({ field }) => given[field] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const found = kinds.map(({ field }) => field).join(' and ') || 'none';
    const message = `expected one of weight(split, n), doubt(evidence) and temperature; found ${found}`;
    return [...faults, ...unknownFields(given, METHOD_FIELDS).map((each) => fault(...each)), fault('weight', message)];
  }
  const known = ['name', 'needs', kind.field, ...kind.optional];
  faults.push(...unknownFields(given, known).map((each) => fault(...each)));
  if (!kind.needs.includes(given.needs as string)) {
    const message = `expected ${kind.needs.join(' or ')} beside \`${kind.field}\`, found ${describe(given.needs)}`;
    faults.push(fault('needs', message));
  }
  for (const field of ['weight', 'logWeight', 'doubt']) {
    if (given[field] === undefined || typeof given[field] === 'function') continue;
    faults.push(fault(field, `expected a function, found ${describe(given[field])}`));
  }
  const { temperature } = given;
  if (kind.field === 'temperature' && !(typeof temperature === 'number' && temperature > 0 && temperature < Infinity)) {
    faults.push(fault('temperature', `expected a number above 0, found ${describe(temperature)}`));
  }
  return faults;
}

function nameFaults(name: unknown): string[] {
  if (typeof name !== 'string' || !NAME.test(name)) {
    return [`expected up to 60 letters, digits, "-", "_", "." and "+", found ${describe(name)}`];
  }
  const taken = [...METHOD_NAMES, ...RESERVED].some((each) => each.toLowerCase() === name.toLowerCase());
  return taken ? [`the name "${name}" is built in; give the method another one`] : [];
}

function unknownFields(given: Readonly<Record<string, unknown>>, known: readonly string[]): [string, string][] {
  return Object.keys(given)
    .filter((field) => !known.includes(field))
    .map((field) => [field, `unknown field${nearest(field, known)}`]);
}

function describe(value: unknown): string {
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value)?.slice(0, 60) ?? 'nothing');
}
