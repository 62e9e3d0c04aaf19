import { groupBy } from '../../contract/group-by.js';
import type { Verdict } from '../../results/verdict-schema.js';

/** One line for each target on each data set: the verdict with its reason. */
export function verdictLines(verdicts: readonly Verdict[], shown: (text: string) => string): string[] {
  return verdicts.map(({ dataset, target, sentence }) => shown(`${target} on ${dataset}: ${sentence}`));
}

/** So many verdicts are read one by one; of more there is one line a data set, and one for each that is not enough. */
const MOST_LINES = 8;

const IN_WORDS: Readonly<Record<Verdict['kind'], string>> = {
  use: 'calibrated',
  'any-of': 'calibrated by several methods alike',
  improves: 'better, but not calibrated',
  'not-enough': 'not enough',
  'already-calibrated': 'calibrated as it is',
  unknown: 'not checked',
  none: 'without a temperature',
};

/** A kind of verdict in a few words, for a cell of a table. */
export function verdictWords(kind: Verdict['kind']): string {
  return IN_WORDS[kind];
}

/** `12 calibrated, 1 not enough`: how many verdicts there are of each kind. */
export function countVerdicts(verdicts: readonly Verdict[]): string {
  const kinds = groupBy(verdicts, ({ kind }) => kind);
  return [...kinds].map(([, same]) => `${same.length} ${IN_WORDS[same[0].kind]}`).join(', ');
}

/** The verdicts for the end of a terminal's output. */
export function shortVerdicts(verdicts: readonly Verdict[], shown: (text: string) => string): string[] {
  if (verdicts.length <= MOST_LINES) return verdictLines(verdicts, shown).map((line) => `verdict: ${line}`);
  const byDataset = groupBy(verdicts, ({ dataset }) => dataset);
  const counted = [...byDataset].map(([dataset, of]) => {
    return `verdict: ${shown(dataset)}: ${countVerdicts(of)}`;
  });
  const short = verdicts.filter(({ kind }) => kind === 'not-enough');
  const named = verdictLines(short, shown).slice(0, MOST_LINES);
  return [...counted, ...named.map((line) => `verdict: ${line}`), 'verdict: each with its temperature in report.md'];
}
