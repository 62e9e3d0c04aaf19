import { mean } from '../../numeric/mean.js';
import type { RunResult } from '../run-schema.js';
import type { SummaryRow } from '../summarise-runs.js';
import type { Verdict } from '../verdict-schema.js';
import type { Candidate, JudgedTarget } from './candidates.js';
import { labelledCountOf } from './verdict-kind.js';

type Evidence = Pick<
  Verdict,
  | 'labelledCount'
  | 'calibrationCount'
  | 'accuracy'
  | 'ownBaseAccuracy'
  | 'claimedBefore'
  | 'claimedAfter'
  | 'before'
  | 'after'
  | 'calibrated'
  | 'leftPp'
  | 'labelledFit'
>;

/** The numbers behind a verdict; `used` null: the model is left as it is, and what is left is its own error. */
export function verdictEvidence({ runs, vanilla, labelled }: JudgedTarget, used: Candidate | null): Evidence {
  const plain = runs.filter(({ method }) => method === 'vanilla');
  const own = used?.runs ?? plain;
  const row = used === null ? vanilla : used.measured;
  const calibrated = row === null ? null : calibratedOf(row);
  const meanOf = (of: readonly RunResult[], field: 'accuracy' | 'ownBaseAccuracy' | 'meanConfidence') =>
    mean(of.flatMap((run) => run[field] ?? []));
  return {
    labelledCount: labelledCountOf(runs),
    calibrationCount: Math.min(...runs.map(({ calibrationCount }) => calibrationCount)),
    accuracy: meanOf(own, 'accuracy'),
    ownBaseAccuracy: meanOf(own, 'ownBaseAccuracy'),
    claimedBefore: meanOf(plain, 'meanConfidence'),
    claimedAfter: used === null ? null : meanOf(used.runs, 'meanConfidence'),
    before: errorOf(vanilla),
    after: used === null ? null : errorOf(row),
    calibrated,
    leftPp: calibrated === null ? null : Math.max(0, (row?.eceMeanPp ?? 0) - calibrated.meanPp),
    labelledFit: errorOf(labelled),
  };
}

function errorOf(row: SummaryRow | null): Verdict['before'] {
  if (row === null || row.eceMeanPp === null) return null;
  return { ecePp: row.eceMeanPp, lowPp: row.eceLowPp, highPp: row.eceHighPp };
}

function calibratedOf({ calibratedMeanPp, calibratedHighPp, calibratedPValue }: SummaryRow): Verdict['calibrated'] {
  if (calibratedMeanPp === null || calibratedHighPp === null) return null;
  return { meanPp: calibratedMeanPp, highPp: calibratedHighPp, pValue: calibratedPValue };
}
