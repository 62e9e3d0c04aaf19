import { type InspectedRun, type RunInput, runInputs, YAML } from './run-inputs.js';

/** A recorded input that two runs do not share. */
export interface InputDifference extends Omit<RunInput, 'value'> {
  readonly a: string | null;
  readonly b: string | null;
}

/**
 * Recorded inputs with different values, in the order of the first run. A data set, model or table of scores that only
 * one of them has gives one difference, of the field `present`. What one side has no record of is not known to differ:
 * without a manifest only what results.json says is compared.
 */
export function inputDifferences(a: InspectedRun, b: InspectedRun): InputDifference[] {
  const known = a.manifest !== null && b.manifest !== null;
  const kept = (run: InspectedRun) => runInputs(known ? run : { results: run.results, manifest: null });
  const [ofA, ofB] = [bySubject(kept(a)), bySubject(kept(b))];
  return [...new Set([...ofA.keys(), ...ofB.keys()])].flatMap((key) => {
    const [left, right] = [ofA.get(key), ofB.get(key)];
    // What is about the whole run is in both; an earlier version did not record all of it.
    if (left !== undefined && right !== undefined) return fieldDifferences(left, right);
    return presence(left, right);
  });
}

type Fields = ReadonlyMap<string, RunInput>;

function bySubject(inputs: readonly RunInput[]): Map<string, Map<string, RunInput>> {
  const subjects = new Map<string, Map<string, RunInput>>();
  for (const input of inputs) {
    const key = JSON.stringify([input.kind, input.subject]);
    const fields = subjects.get(key) ?? new Map<string, RunInput>();
    subjects.set(key, fields.set(input.field, input));
  }
  return subjects;
}

/** A subject that one run has alone; nothing for one that is about the whole run. */
function presence(left: Fields | undefined, right: Fields | undefined): InputDifference[] {
  const [first] = (left ?? right)?.values() ?? [];
  if (first === undefined || first.subject === '') return [];
  const { value: _, ...of } = first;
  const yes = (fields: Fields | undefined) => (fields === undefined ? null : 'yes');
  return [{ ...of, field: 'present', a: yes(left), b: yes(right) }];
}

function fieldDifferences(left: Fields, right: Fields): InputDifference[] {
  const same = (field: string) => left.get(field)?.value === right.get(field)?.value;
  const both = (field: string) => left.has(field) && right.has(field);
  // The key of scores lists whatever is not at its default; of everything else a missing field is one of an earlier
  // version.
  const wholeKeys = both('kind') && same('kind');
  const counts = (field: string) => {
    if (field === 'file') return !(both('sha256') && same('sha256')) && !(both(YAML) && same(YAML));
    return both(field) || wholeKeys;
  };
  return [...new Set([...left.keys(), ...right.keys()])].filter(counts).flatMap((field) => {
    const [a, b] = [left.get(field), right.get(field)];
    const either = a ?? b;
    if (either === undefined) return [];
    const { value: _, ...of } = either;
    const values = { a: a?.value ?? null, b: b?.value ?? null };
    return values.a === values.b ? [] : [{ ...of, ...values }];
  });
}
