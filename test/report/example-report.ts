import type { Answers } from '../../src/results/examples/answers-schema.js';
import { EXAMPLE_KINDS, type Examples } from '../../src/results/examples/examples-schema.js';
import type { RunManifest } from '../../src/results/manifest-schema.js';
import type { ReportInput } from '../../src/results/report-input.js';
import { type ExampleShape, exampleDiagnostics, exampleResults } from './example-results.js';

/** A whole report's input with one example of each kind per target. */
export function exampleInput(shape: ExampleShape = {}): ReportInput {
  const results = exampleResults(shape);
  const pairs = [...new Map(results.summary.map((row) => [`${row.dataset}\n${row.target}`, row])).values()];
  return {
    results,
    diagnostics: exampleDiagnostics(shape),
    examples: exampleExamples(pairs),
    answers: exampleAnswers(pairs),
    manifest: exampleManifest(results.summary.map(({ dataset }) => dataset)),
  };
}

/** Sixty questions of two options per data set; the model is sure of the first, which is right every other time. */
function exampleAnswers(pairs: ReadonlyArray<{ readonly dataset: string; readonly target: string }>): Answers {
  const numbers = Array.from({ length: 60 }, (_, n) => n);
  return {
    schemaVersion: 1,
    textLimit: 600,
    datasets: [...new Set(pairs.map(({ dataset }) => dataset))].map((dataset) => ({
      dataset,
      of: 60,
      ids: numbers.map((n) => `q-${n}`),
      fields: ['question'],
      texts: numbers.map((n) => [`Which bird dives ${n} metres?`]),
      options: numbers.map(() => ['tern', 'heron']),
      labels: numbers.map((n) => n % 2),
      targets: pairs
        .filter((pair) => pair.dataset === dataset)
        .map(({ target }) => ({ target, scores: numbers.map((n) => [0, 100 * n]) })),
    })),
  };
}

function exampleExamples(pairs: ReadonlyArray<{ readonly dataset: string; readonly target: string }>): Examples {
  return {
    schemaVersion: 1,
    seed: 1,
    weights: { method: 'supportcal', combinationSize: 1 },
    textLimit: 800,
    examples: pairs.flatMap(({ dataset, target }) =>
      EXAMPLE_KINDS.map((kind) => ({
        dataset,
        target,
        kind,
        rank: 1,
        id: `q-${kind}`,
        text: [{ field: 'question', value: 'Which bird dives?' }],
        options: ['tern', 'heron'],
        label: 1,
        prediction: 0,
        ownBasePrediction: 1,
        ownBaseSupport: 0.02,
        weight: kind === 'overconfident-error' ? null : 0.25,
        distributions: [
          {
            model: target,
            role: 'target' as const,
            method: null,
            combinationSize: null,
            temperature: null,
            probabilities: [0.98765, 0.01235],
          },
          {
            model: target,
            role: 'target' as const,
            method: 'supportcal',
            combinationSize: 1,
            temperature: 2.5,
            probabilities: [0.6, 0.4],
          },
        ],
      })),
    ),
  };
}

function exampleManifest(datasets: readonly string[]): RunManifest {
  return {
    schemaVersion: 1,
    createdAt: '2026-01-02T03:04:05.000Z',
    command: ['pipeline', '--suite', 'my suite'],
    system: { node: 'v20.0.0', platform: 'linux x64' },
    run: {
      stages: [
        { stage: 'load', seconds: 0.25 },
        { stage: 'score', seconds: 12.5 },
      ],
      rows: { toScore: 1200, cached: 34 },
      models: [{ model: 'llama-demo', rows: 1200, tokens: 240000, seconds: 12 }],
    },
    backendReason: 'this machine has no GPU device',
    datasets: [...new Set(datasets)].map((dataset) => ({
      dataset,
      file: `datasets/${dataset}.yaml`,
      sha256: 'ab'.repeat(32),
      rows: 800,
      contentHash: 'cd'.repeat(32),
      rules: ['answers counted from 1'],
      origin: [],
    })),
    models: [
      {
        model: 'llama-demo',
        file: 'models/llama-demo.gguf',
        sha256: 'ef'.repeat(32),
        scores: [{ dataset: 'demo-facts', entry: 'e', facts: { backend: 'cpu', device: 'Some CPU' } }],
      },
    ],
  };
}

/** The answers of an input with one text in place of every id, field, question and option. */
export function hostileAnswers({ answers }: ReportInput, text: string): Answers {
  const datasets = answers!.datasets.map((each) => ({
    ...each,
    ids: each.ids.map((id) => text + id),
    fields: [text],
    texts: each.texts.map(() => [text]),
    options: each.options.map(() => [text, '<b>A</b>']),
  }));
  return { ...answers!, datasets };
}
