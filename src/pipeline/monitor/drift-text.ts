import { type DriftReport, FALSE_ALARM_RATE } from './drift-window.js';

const NAMES: Readonly<Record<DriftReport['signals'][number]['signal'], string>> = {
  rawConfidence: 'raw confidence',
  margin: 'margin between the best two options',
  optionMass: 'option mass',
  promptTokens: 'length of the prompt in tokens',
  baseAgreement: 'agreement with the own base',
};

const WHAT_TO_DO =
  'nobody knows how well the temperature holds for them: look at some; if they are what will come from now on, score ' +
  'them with the target, its own base and the references and export again, which needs no label';

/** What a window shows, in one sentence; null: its questions are like those of the fit, or too few. */
export function driftText({ rows, drift, signals }: Pick<DriftReport, 'rows' | 'drift' | 'signals'>): string | null {
  if (drift !== true) return null;
  const off = signals
    .filter(({ pValue }) => pValue * signals.length <= FALSE_ALARM_RATE)
    .map(({ signal, median, fitMedian, pValue }) => {
      const p = pValue < 1e-6 ? 'p < 0.000001' : `p = ${pValue.toPrecision(2)}`;
      return `${NAMES[signal]} (median ${median.toPrecision(3)}, of the fit ${fitMedian.toPrecision(3)}; ${p})`;
    });
  return `these ${rows} questions are unlike those that the temperature was fitted on, by their ${off.join(', ')}; ${WHAT_TO_DO}`;
}
