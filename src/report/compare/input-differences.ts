import { type InspectedRun, type RunInput, runInputs, YAML } from './run-inputs.js';

/** A recorded input that two runs do not share. */
export interface InputDifference extends Omit<RunInput, 'value'> {
  readonly a: string | null;
  readonly b: string | null;
}

/**
 * Recorded inputs with different values, in the order of the first run. A data set, model or table of scores that only one
 * of them has gives one difference, of the field `present`. What one side has no record of is not known to differ: without
 * a manifest only what results.json says is compared.
 */
export function inputDifferences(a: InspectedRun, b: InspectedRun): InputDifference[] {
  const whole = a.manifest !== null && b.manifest !== null;
  const kept = (run: InspectedRun) => runInputs(whole ? run : { results: run.results, manifest: null });
  const [ofA, ofB] = [bySubject(kept(a)), bySubject(kept(b))];
  return [...new Set([...ofA.keys(), ...ofB.keys()])].flatMap((key) => {
    const [left, right] = [ofA.get(key), ofB.get(key)];
    if (left === undefined) return [presence(right!, 'b')];
    if (right === undefined) return [presence(left, 'a')];
    return fieldDifferences(left, right);
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

function presence(fields: Fields, side: 'a' | 'b'): InputDifference {
  const { value: _, ...of } = [...fields.values()][0]!;
  return { ...of, field: 'present', a: side === 'a' ? 'yes' : null, b: side === 'b' ? 'yes' : null };
}

function fieldDifferences(left: Fields, right: Fields): InputDifference[] {
  const same = (field: string) => left.get(field)?.value === right.get(field)?.value;
  const counts = (field: string) => {
    // The same file under another path.
    if (field === 'file') return !(left.has('sha256') && same('sha256')) && !(left.has(YAML) && same(YAML));
    // Imported in one and scored in the other: nothing else can be compared.
    return same('kind') || field === 'kind' || field === 'stored scores';
  };
  return [...new Set([...left.keys(), ...right.keys()])].filter(counts).flatMap((field) => {
    const [a, b] = [left.get(field), right.get(field)];
    const { value: _, ...of } = (a ?? b)!;
    const values = { a: a?.value ?? null, b: b?.value ?? null };
    return values.a === values.b ? [] : [{ ...of, ...values }];
  });
}
