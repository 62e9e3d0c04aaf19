import { SupportCalError } from '../../errors/supportcal-error.js';
import { shuffle } from '../../numeric/random/shuffle.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { Example, LeftOutRow } from '../example/example.js';
import { foldedOption } from '../fields/dataset-warnings.js';
import { optionFields } from '../fields/field-mapping.js';
import { type DraftContext, type DraftRow, type IdentifiedRow, rowFault } from './draft-row.js';

/** What a policy is about: its key in the YAML, and what to say of a row that it concerns; null: not concerned. */
interface Concern {
  readonly key: 'emptyOptions' | 'duplicateOptions' | 'severalAnswers';
  /** What may be written in place of `refuse`. */
  readonly others: string;
  readonly find: (row: DraftRow) => { readonly option?: number; readonly reason: string } | null;
}

const CONCERNS: readonly Concern[] = [
  { key: 'severalAnswers', others: 'or `first`, `most`', find: severalAnswers },
  { key: 'emptyOptions', others: 'or `keep`', find: emptyOption },
  { key: 'duplicateOptions', others: 'or `keep`', find: twinOption },
];

/** Keeps, leaves out or refuses rows with empty or equal options, as the data set says. */
export function applyRowPolicies(
  rows: readonly IdentifiedRow[],
  context: DraftContext,
): { kept: IdentifiedRow[]; leftOut: LeftOutRow[] } {
  const { mapping } = context;
  const leftOut: LeftOutRow[] = [];
  const kept = rows.filter((row) => {
    for (const concern of CONCERNS) {
      const { key, find } = concern;
      const found = mapping[key] === 'keep' ? null : find(row);
      if (found === null) continue;
      if (mapping[key] === 'skip') leftOut.push({ id: row.id, reason: found.reason });
      else refuse(row, concern, found, context);
      return false;
    }
    return true;
  });
  return { kept, leftOut };
}

function refuse(
  row: DraftRow,
  { key, others }: Concern,
  { option, reason }: { readonly option?: number; readonly reason: string },
  context: DraftContext,
): void {
  const { mapping, faults } = context;
  const fields = optionFields(mapping.options);
  const ofOption =
    mapping.options.kind === 'columns' ? fields[option ?? -1] : fields.length === 1 ? fields[0] : undefined;
  const field = option === undefined ? mapping.label?.field : ofOption;
  const message = `${reason}; mend it, or write \`${key}: skip\` to leave such rows out (${others})`;
  faults.add(rowFault(row, field, message, context));
}

function severalAnswers({ several }: DraftRow) {
  return several ? { reason: 'more than one answer is right' } : null;
}

function emptyOption({ options }: DraftRow) {
  const option = options.findIndex((text) => text.trim() === '');
  return option < 0 ? null : { option, reason: `option ${option + 1} is empty` };
}

function twinOption({ options }: DraftRow) {
  const folded = options.map(foldedOption);
  const option = folded.findIndex((text, k) => folded.indexOf(text) < k);
  return option < 0 ? null : { option, reason: 'two options are equal' };
}

/**
 * The rows that `source.sample` draws: the first `count` of the shuffled ids (`SHUFFLE_GENERATOR`), back in id order.
 * The draw depends on ids and seed, never on the order of a file.
 *
 * @param examples in id order
 * @throws SupportCalError bad-input: fewer rows than `count`
 */
export function sampleExamples(examples: readonly Example[], spec: DatasetSpec): Example[] {
  const { source } = spec.yaml;
  const sample = typeof source === 'object' ? source.sample : undefined;
  if (sample === undefined) return [...examples];
  const { count, seed } = sample;
  if (count > examples.length) {
    const at = ['source', 'sample', 'count'];
    const message =
      `a sample of ${count} rows is asked for, but there ` +
      `are ${examples.length}; lower the count or leave \`sample\` out`;
    throw new SupportCalError('bad-input', { file: spec.file, ...spec.locate(at), field: at.join('.'), message });
  }
  const drawn = shuffle(examples.length, seed).subarray(0, count).sort();
  return Array.from(drawn, (n) => examples[n]!);
}
