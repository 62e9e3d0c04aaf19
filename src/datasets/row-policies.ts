import { foldedOption } from './dataset-warnings.js';
import { type DraftContext, type DraftRow, rowFault } from './draft-row.js';
import type { LeftOutRow } from './example.js';
import { optionFields } from './field-mapping.js';

/** What a policy is about: its key in the YAML, and what to say of a row that it concerns; null: not concerned. */
interface Concern {
  readonly key: 'emptyOptions' | 'duplicateOptions';
  readonly find: (row: DraftRow) => { readonly option: number; readonly reason: string } | null;
}

const CONCERNS: readonly Concern[] = [
  { key: 'emptyOptions', find: emptyOption },
  { key: 'duplicateOptions', find: twinOption },
];

/** Keeps, leaves out or refuses rows with empty or equal options, as the data set says. */
export function applyRowPolicies(
  rows: readonly DraftRow[],
  context: DraftContext,
): { kept: DraftRow[]; leftOut: LeftOutRow[] } {
  const { mapping } = context;
  const leftOut: LeftOutRow[] = [];
  const kept = rows.filter((row) => {
    for (const { key, find } of CONCERNS) {
      const found = mapping[key] === 'keep' ? null : find(row);
      if (found === null) continue;
      if (mapping[key] === 'skip') leftOut.push({ id: row.id!, reason: found.reason });
      else refuse(row, key, found, context);
      return false;
    }
    return true;
  });
  return { kept, leftOut };
}

function refuse(
  row: DraftRow,
  key: Concern['key'],
  { option, reason }: { option: number; reason: string },
  context: DraftContext,
): void {
  const { mapping, faults } = context;
  const fields = optionFields(mapping.options);
  const field = mapping.options.kind === 'columns' ? fields[option] : fields.length === 1 ? fields[0] : undefined;
  const message = `${reason}; mend it, or write \`${key}: skip\` to leave such rows out (or \`keep\`)`;
  faults.add(rowFault(row, field, message, context));
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
