import { shorten } from '../text/plain-text.js';
import type { InputDifference } from './input-differences.js';

/** Differences of the same kind and field: one line for twelve models that all ran on another device. */
export interface InputGroup {
  /** Indexes into the list that was grouped. */
  readonly inputs: readonly number[];
  readonly text: string;
}

const NAMES: Readonly<Record<InputDifference['kind'], string>> = {
  protocol: '',
  tool: '',
  'models-file': 'models.yaml',
  'data-set': 'data set',
  model: 'model',
  scores: 'scores of',
};

/** Subjects of a group that are named, and the longest value that is shown. */
const MOST_SUBJECTS = 3;
const LONGEST_VALUE = 70;

/** In the order in which the fields first differ. */
export function inputGroups(inputs: readonly InputDifference[]): InputGroup[] {
  const groups = new Map<string, { inputs: number[]; members: [InputDifference, ...InputDifference[]] }>();
  for (const [n, input] of inputs.entries()) {
    const key = JSON.stringify([input.kind, input.field]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { inputs: [n], members: [input] });
    else {
      group.inputs.push(n);
      group.members.push(input);
    }
  }
  return [...groups.values()].map((group) => ({ inputs: group.inputs, text: groupText(group.members) }));
}

function groupText(members: readonly [InputDifference, ...InputDifference[]]): string {
  const [{ kind, field }] = members;
  const subjects = members.map(({ subject }) => subject);
  const named = [NAMES[kind], listed(subjects)].filter((part) => part !== '').join(' ');
  const head = [named, field === 'present' ? '' : field].filter((part) => part !== '').join(': ');
  const values = new Set(members.map(({ a, b }) => changeText(field, a, b)));
  return `${head}: ${values.size === 1 ? [...values][0] : 'differ'}`;
}

function listed(subjects: readonly string[]): string {
  if (subjects.length <= MOST_SUBJECTS) return subjects.join(', ');
  return `${subjects.slice(0, MOST_SUBJECTS).join(', ')} and ${subjects.length - MOST_SUBJECTS} more`;
}

function changeText(field: string, a: string | null, b: string | null): string {
  if (field === 'present') return `only in ${a === null ? 'B' : 'A'}`;
  return `${valueText(a)} → ${valueText(b)}`;
}

function valueText(value: string | null): string {
  if (value === null) return 'none';
  return /^[0-9a-f]{40,}$/.test(value) ? value.slice(0, 12) : shorten(value, LONGEST_VALUE);
}
