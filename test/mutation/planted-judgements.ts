import type { PlantedFault } from './planted-faults.js';

const VERDICT = ['results/verdict/verdicts-of.test.ts'];
const THRESHOLDS = ['inference/selective/thresholds.test.ts'];
const ANSWERED = ['pipeline/predict/answer-threshold.test.ts'];
const SIGNALS = ['inference/drift/signal-window.test.ts'];
const WINDOW = ['pipeline/monitor/drift-window.test.ts'];
const AUTO = ['calibration/auto.test.ts'];
const UNITS = ['datasets/logits/read-imported-logits.test.ts'];

const VERDICTS: readonly PlantedFault[] = [
  {
    fault: 'a model is called calibrated at twice the level',
    file: 'results/verdict/verdict-kind.ts',
    from: 'const LEVEL = 0.05;',
    to: 'const LEVEL = 0.1;',
    tests: VERDICT,
  },
  {
    fault: 'a model that shows no error is left alone though a method is better by the test',
    file: 'results/verdict/verdict-kind.ts',
    from: ' && vanilla.tiedWithBest !== false)',
    to: ')',
    tests: VERDICT,
  },
  {
    fault: 'labels are asked for where they do better by chance',
    file: 'results/verdict/verdict-kind.ts',
    from: 'less > BETTER_PP && less > 2 * errorOf(row)',
    to: 'less > BETTER_PP',
    tests: VERDICT,
  },
  {
    fault: 'labels are asked for where they do little better',
    file: 'results/verdict/verdict-kind.ts',
    from: 'less > BETTER_PP && less > 2 * errorOf(row)',
    to: 'less > 2 * errorOf(row)',
    tests: VERDICT,
  },
  {
    fault: 'a few labels choose the method',
    file: 'results/verdict/verdicts-of.ts',
    from: 'const few = labelledCountOf(judged.runs) < FEWEST_LABELS;',
    to: 'const few = labelledCountOf(judged.runs) < 1;',
    tests: VERDICT,
  },
  {
    fault: 'methods that show an error are offered among those that show none',
    file: 'results/verdict/verdicts-of.ts',
    from: "(kind === 'any-of' ? alike.filter(({ measured }) => showsNoError(measured)) : alike)",
    to: 'alike',
    tests: VERDICT,
  },
  {
    fault: 'what few answers of another way of asking say counts for the plain scores',
    file: 'results/verdict/verdict-kind.ts',
    from: '.filter(({ method }) => !asksOtherwise(method))',
    to: '',
    tests: VERDICT,
  },
  {
    fault: 'a verdict takes the largest number of references',
    file: 'results/verdict/candidates.ts',
    from: 'Math.min(...sizes)',
    to: 'Math.max(...sizes)',
    tests: VERDICT,
  },
  {
    fault: 'a method that fits in some splits alone has a temperature',
    file: 'results/verdict/candidates.ts',
    from: "runs.length === 0 || runs.some(({ temperatureKind }) => temperatureKind === 'none')",
    to: 'runs.length === 0',
    tests: VERDICT,
  },
  {
    fault: 'half of the splits make a temperature finite',
    file: 'results/verdict/candidates.ts',
    from: '2 * logs.length <= runs.length',
    to: '2 * logs.length < runs.length',
    tests: VERDICT,
  },
  {
    fault: 'the rule begins with another method than auto',
    file: 'results/verdict/candidates.ts',
    from: "'auto', 'accuracy-matched', ",
    to: "'accuracy-matched', 'auto', ",
    tests: VERDICT,
  },
  {
    fault: 'what is left of an error may be below nothing',
    file: 'results/verdict/verdict-evidence.ts',
    from: 'Math.max(0, (row?.eceMeanPp ?? 0) - calibrated.meanPp)',
    to: '(row?.eceMeanPp ?? 0) - calibrated.meanPp',
    tests: VERDICT,
  },
  {
    fault: 'so many questions are enough though more of them do worse',
    file: 'results/verdict/calibration-sizes.ts',
    from: 'const above = points.findLastIndex(({ eceMean }) => eceMean === null || 100 * eceMean > level);\n  const first = points[above + 1];',
    to: 'const first = points.find(({ eceMean }) => eceMean !== null && 100 * eceMean <= level);',
    tests: VERDICT,
  },
];

const ABSTENTION: readonly PlantedFault[] = [
  {
    fault: 'the example that sets a threshold counts among its trials',
    file: 'inference/selective/guaranteed-thresholds.ts',
    from: 'const trials = answered - 1;',
    to: 'const trials = answered;',
    tests: THRESHOLDS,
  },
  {
    fault: 'each start has the whole level',
    file: 'inference/selective/guaranteed-thresholds.ts',
    from: '((starts - begun) * miss) / STARTS.length',
    to: '(starts - begun) * miss',
    tests: THRESHOLDS,
  },
  {
    fault: 'a hypothesis that stands keeps its level for the next one',
    file: 'inference/selective/guaranteed-thresholds.ts',
    from: '    else level = 0;\n',
    to: '',
    tests: THRESHOLDS,
  },
  {
    fault: 'the interval of the coverage is that of a share',
    file: 'inference/selective/guaranteed-thresholds.ts',
    from: 'betaQuantile(miss / 2, answered, examples + 1 - answered)',
    to: 'betaQuantile(miss / 2, answered + 1, examples + 1 - answered)',
    tests: THRESHOLDS,
  },
  {
    fault: 'the interval of the risk holds for one threshold alone',
    file: 'inference/selective/guaranteed-thresholds.ts',
    from: 'miss / STEPS',
    to: 'miss',
    tests: THRESHOLDS,
  },
  {
    fault: 'examples of equal confidence are not answered together',
    file: 'inference/selective/estimated-thresholds.ts',
    from: '    if (i > 0 && ascending[i - 1] === threshold) continue;\n',
    to: '',
    tests: THRESHOLDS,
  },
  {
    fault: 'a threshold for more errors is taken for fewer',
    file: 'pipeline/predict/answer-threshold.ts',
    from: 'findLast((each) => each.maxError <= maxError)',
    to: 'findLast((each) => each.maxError <= 10 * maxError)',
    tests: ANSWERED,
  },
  {
    fault: 'what confidences claim is a threshold though labels did not show it',
    file: 'pipeline/predict/answer-threshold.ts',
    from: 'thresholds.labelled > 0 ? guaranteed : estimated',
    to: 'guaranteed ?? estimated',
    tests: ANSWERED,
  },
  {
    fault: 'the threshold that is shown is below the one that is used',
    file: 'pipeline/predict/answer-threshold.ts',
    from: 'Math.ceil(threshold * 10 ** digits - 1e-9)',
    to: 'Math.floor(threshold * 10 ** digits)',
    tests: ANSWERED,
  },
];

const DRIFT: readonly PlantedFault[] = [
  {
    fault: 'the alarm knows nothing of the number of signals',
    file: 'pipeline/monitor/drift-window.ts',
    from: 'least * Math.max(1, signals.length)',
    to: 'least',
    tests: WINDOW,
  },
  {
    fault: 'a handful of questions is called drift',
    file: 'pipeline/monitor/drift-window.ts',
    from: 'window.rows >= LEAST_ROWS',
    to: 'window.rows > 0',
    tests: WINDOW,
  },
  {
    fault: 'quantiles stand for the whole sample',
    file: 'inference/drift/signal-window.ts',
    from: 'distance - (values.length < fitted ? 1 / values.length : 0)',
    to: 'distance - (values.length < fitted ? 0 : 0)',
    tests: SIGNALS,
  },
  {
    fault: 'the p-value lacks the correction for small samples',
    file: 'inference/drift/signal-window.ts',
    from: '(size + 0.12 + 0.11 / size) * certain',
    to: 'size * certain',
    tests: SIGNALS,
  },
  {
    fault: 'a new number is not rounded as those of the fit',
    file: 'inference/drift/signal-window.ts',
    from: 'const rounded = roundedSignal(value);',
    to: 'const rounded = value;',
    tests: SIGNALS,
  },
  {
    fault: 'ties of the fit lie below themselves',
    file: 'inference/drift/signal-window.ts',
    from: '(firstOf.get(point) ?? 0) / values.length',
    to: '(lastOf.get(point) ?? 0) / values.length',
    tests: SIGNALS,
  },
  {
    fault: 'quantiles lie at the lower ends of their shares',
    file: 'inference/drift/signal-sketch.ts',
    from: '(i + 0.5) * rows',
    to: 'i * rows',
    tests: SIGNALS,
  },
];

const TEMPERATURES: readonly PlantedFault[] = [
  {
    fault: 'auto takes the gain as it is',
    file: 'calibration/methods.ts',
    from: 'const GAIN_FACTOR = 1.5;',
    to: 'const GAIN_FACTOR = 1;',
    tests: AUTO,
  },
  {
    fault: 'auto needs references',
    file: 'calibration/methods.ts',
    from: '  poolOptional: true,\n',
    to: '  poolOptional: false,\n',
    tests: AUTO,
  },
  {
    fault: 'labels of other examples than those of the split move auto',
    file: 'calibration/fit-split.ts',
    from: 'labelled.map((n) => labelTeacher.labels[n] ?? 0)',
    to: 'labelled.map((_, n) => labelTeacher.labels[n] ?? 0)',
    tests: AUTO,
  },
  {
    fault: 'the prior of auto-labels is ten times as wide',
    file: 'calibration/fit/shrunk-temperature.ts',
    from: 'const SCALE = 0.1;',
    to: 'const SCALE = 1;',
    tests: AUTO,
  },
  {
    fault: 'the fine grid of auto-labels cuts a tail off',
    file: 'calibration/fit/shrunk-temperature.ts',
    from: 'coarse[Math.min(COARSE_STEPS, last + 1)]',
    to: 'coarse[Math.min(COARSE_STEPS, last - 2)]',
    tests: AUTO,
  },
];

const IMPORT: readonly PlantedFault[] = [
  {
    fault: 'a declared unit is believed whatever the numbers add up to',
    file: 'datasets/logits/unit-looks.ts',
    from: 'if (telling > 0 && exact === this.#rows) return true;',
    to: 'if (telling > 1e9) return true;',
    tests: UNITS,
  },
  {
    fault: 'numbers of a hand-written example are taken for probabilities',
    file: 'datasets/logits/unit-looks.ts',
    from: 'if (telling > 0 && exact',
    to: 'if (exact',
    tests: UNITS,
  },
  {
    fault: 'half of the rows decide on the unit of a file',
    file: 'datasets/logits/unit-looks.ts',
    from: 'const NEARLY_ALL = 0.95;',
    to: 'const NEARLY_ALL = 0.5;',
    tests: UNITS,
  },
  {
    fault: 'log-probabilities to the base 2 count as natural ones',
    file: 'datasets/logits/unit-looks.ts',
    from: "units: ['logits', 'logprobs'],\n    share: (score) => (score <= 0 ? 2",
    to: "units: ['logits'],\n    share: (score) => (score <= 0 ? 2",
    tests: UNITS,
  },
  {
    fault: 'probabilities that sum to 2 are accepted',
    file: 'datasets/logits/from-unit.ts',
    from: 'total <= 1 + SUM_TOLERANCE',
    to: 'total <= 2 + SUM_TOLERANCE',
    tests: UNITS,
  },
  {
    fault: 'an option mass above 1',
    file: 'datasets/logits/from-unit.ts',
    from: 'Math.min(totalMass(scores, unit), 1)',
    to: 'totalMass(scores, unit)',
    tests: UNITS,
  },
  {
    fault: 'a row that is certain is dropped',
    file: 'datasets/logits/from-unit.ts',
    from: '!logits.some(Number.isFinite)',
    to: '!logits.every(Number.isFinite)',
    tests: UNITS,
  },
];

/** Faults in what is made of the numbers: verdicts, thresholds, drift, the rules of auto, units of imports. */
export const PLANTED_JUDGEMENTS: readonly PlantedFault[] = [
  ...VERDICTS,
  ...ABSTENTION,
  ...DRIFT,
  ...TEMPERATURES,
  ...IMPORT,
];
