import type { Diagnostics } from '../../src/results/diagnostics-schema.js';
import type { Results } from '../../src/results/results-schema.js';
import type { RunResult } from '../../src/results/run-schema.js';
import { type CellInference, summariseRuns } from '../../src/results/summarise-runs.js';

export interface ExampleShape {
  readonly datasets?: readonly string[];
  readonly targets?: readonly string[];
  readonly seeds?: readonly number[];
  readonly evaluationCount?: number;
}

const DATASETS = ['demo-facts', 'demo-word-problems', 'demo-sentiment'];
const TARGETS = ['llama-demo-chat', 'llama-demo-expert', 'qwen2-demo-chat', 'qwen3-demo-chat', 'mistral-demo-chat'];
const COLUMNS: ReadonlyArray<[string, number | null, number]> = [
  ['vanilla', null, 0.32],
  ['daca', null, 0.08],
  ['full-kl', null, 0.11],
  ['relative-only', null, 0.13],
  ['supportcal', 1, 0.075],
  ['supportcal', 2, 0.07],
  ['oracle-ts', null, 0.03],
];

/** One run with plausible numbers; tests override what they are about. */
export function exampleRun(fields: Partial<RunResult> = {}): RunResult {
  return {
    dataset: 'demo-facts',
    target: 'llama-demo-chat',
    ownBase: 'llama-demo',
    method: 'vanilla',
    combinationSize: null,
    seed: 1,
    calibrationCount: 240,
    evaluationCount: 560,
    labelledCount: 560,
    temperature: 1,
    temperatureKind: 'finite',
    temperatureReason: null,
    weightedBoundaryMargin: null,
    selectedReferences: null,
    disagreementSupport: null,
    estimatedAccuracy: null,
    coverage: null,
    converged: true,
    fitResidual: 1e-14,
    fitIterations: 6,
    disagreementRate: 0.31,
    accuracy: 0.58,
    ownBaseAccuracy: 0.52,
    meanConfidence: 0.9,
    ece: 0.32,
    mce: 0.5,
    overconfidence: 0.32,
    rmsCe: 0.35,
    debiasedEce: 0.31,
    debiasedRmsCe: 0.34,
    adaptiveEce: 0.32,
    ece15: 0.33,
    ece20: 0.34,
    classwiseEce: 0.2,
    smoothEce: 0.3,
    brier: 0.6,
    nll: 1.9,
    auroc: 0.66,
    brierReliability: 0.15,
    brierResolution: 0.06,
    brierUncertainty: 0.5,
    brierWithinBinVariance: 0.02,
    brierWithinBinCovariance: 0.01,
    aurc: 0.3,
    excessAurc: 0.1,
    ...fields,
  };
}

/** Results as a whole run writes them: every data set, target, method and seed, with summary and macro. */
export function exampleResults(shape: ExampleShape = {}, alter: (run: RunResult) => RunResult = (run) => run): Results {
  const { datasets = DATASETS, targets = TARGETS, seeds = [1, 2, 3, 4, 5], evaluationCount = 560 } = shape;
  const runs = datasets.flatMap((dataset, d) =>
    targets.flatMap((target, t) =>
      COLUMNS.flatMap(([method, combinationSize, level], m) =>
        seeds.map((seed) => {
          const ece = level * (1 + 0.25 * wave(d * 31 + t * 7 + m)) + 0.004 * wave(d + t * 13 + m * 5 + seed * 17);
          const fields = {
            dataset,
            target,
            ownBase: target.replace(/-(chat|expert)$/, ''),
            method,
            combinationSize,
            seed,
          };
          const temperature = method === 'vanilla' ? 1 : 2.2 + wave(t + m) + 0.05 * wave(seed);
          const references =
            combinationSize === null ? null : ['mistral-demo', 'gemma3-demo'].slice(0, combinationSize);
          const accuracy = 0.52 + 0.03 * wave(t * 3 + d) + (t === 1 ? 0.25 : 0.02);
          return alter(
            exampleRun({
              ...fields,
              evaluationCount,
              labelledCount: evaluationCount,
              ece,
              temperature,
              accuracy,
              selectedReferences: references,
              disagreementRate: 0.3 + 0.15 * wave(t),
              disagreementSupport: references ? 0.12 : null,
            }),
          );
        }),
      ),
    ),
  );
  return {
    schemaVersion: 1,
    suite: 'demo',
    createdAt: '2026-01-02T03:04:05.000Z',
    status: 'complete',
    tool: { version: '0.1.0', nodeLlamaCpp: '3.22.1', llamaCppRelease: 'b9999', gpu: 'off' },
    protocol: {
      seeds: [...seeds],
      calibrationFraction: 0.3,
      splitGenerator: 'fisher-yates xoroshiro128plus v1',
      bins: 10,
      binEdges: 'equal-width',
      edgeRule: 'left-owned',
      eceRule: 'equal width, left edge owned, last bin owns 1',
      methods: [...new Set(COLUMNS.map(([name]) => name))],
      methodsByDataset: {},
      examples: 'common',
      methodFiles: [],
      bootstrap: null,
    },
    runs,
    ...summariseRuns(runs, twoBest(runs)),
    comparisons: [],
    published: null,
    skipped: [],
    warnings: [],
  };
}

/** The two label-free methods of lowest mean of every row cannot be told apart; the others can be told from them. */
function twoBest(runs: readonly RunResult[]): CellInference[] {
  const { summary, macro } = summariseRuns(runs);
  const rows = [...summary, ...macro.map((row) => ({ ...row, target: null }))];
  return rows.map(({ dataset, target, method, combinationSize, eceMeanPp }) => {
    const lower = rows.filter(
      (row) =>
        row.dataset === dataset && row.target === target && row.method !== 'oracle-ts' && row.eceMeanPp! < eceMeanPp!,
    );
    const tested = method === 'oracle-ts' || eceMeanPp === null ? null : lower.length < 2;
    return {
      dataset,
      target,
      method,
      combinationSize,
      eceLowPp: null,
      eceHighPp: null,
      eceTotalSePp: null,
      calibratedMeanPp: null,
      calibratedHighPp: null,
      calibratedPValue: null,
      intervals: null,
      tiedWithBest: tested,
      bestPValue: tested === null ? null : tested ? 0.5 : 0.01,
    };
  });
}

/** Reliability of the methods a figure shows, and one row per model, for the same shape as the results. */
export function exampleDiagnostics(shape: ExampleShape = {}): Diagnostics {
  const { datasets = DATASETS, targets = TARGETS } = shape;
  const methods: ReadonlyArray<[string, number | null, number]> = [['own-base', null, 0.02], ...COLUMNS];
  return {
    schemaVersion: 1,
    reliability: datasets.flatMap((dataset) =>
      targets.flatMap((target, t) =>
        methods.map(([method, combinationSize, overconfidence]) => ({
          dataset,
          target,
          method,
          combinationSize,
          ...reliability(overconfidence + 0.01 * t),
        })),
      ),
    ),
    models: datasets.flatMap((dataset) =>
      targets
        .flatMap((target) => [target.replace(/-(chat|expert)$/, ''), target])
        .filter((model, i, all) => all.indexOf(model) === i)
        .map((model) => ({
          dataset,
          model,
          examples: 800,
          failed: 0,
          accuracy: 0.55,
          meanConfidence: 0.71,
          ece: 0.16,
          medianOptionMass: 0.97,
        })),
    ),
  };
}

function reliability(overconfidence: number): { ece: number; bins: Diagnostics['reliability'][number]['bins'] } {
  const counts = [0, 0, 30, 180, 320, 400, 430, 410, 420, overconfidence > 0.2 ? 2400 : 610];
  const bins = counts.map((count, i) => {
    const confidence = (i + 0.5) / 10 + 0.02 * wave(i);
    const accuracy = Math.min(1, Math.max(0, confidence - overconfidence * (0.4 + i / 9) + 0.03 * wave(i * 5)));
    const means =
      count === 0
        ? { accuracy: null, confidence: null, overconfidence: null }
        : { accuracy, confidence, overconfidence: confidence - accuracy };
    return { lower: i / 10, upper: (i + 1) / 10, count, ...means };
  });
  const total = counts.reduce((sum, count) => sum + count, 0);
  const ece = bins.reduce(
    (sum, bin) => sum + (bin.count / total) * Math.abs((bin.accuracy ?? 0) - (bin.confidence ?? 0)),
    0,
  );
  return { ece, bins };
}

/** A fixed number in [-1, 1] per index: variation without randomness. */
function wave(index: number): number {
  return Math.sin(index * 12.9898 + 0.5);
}
