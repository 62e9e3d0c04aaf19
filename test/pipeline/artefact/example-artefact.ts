import type { CalibrationArtefact } from '../../../src/pipeline/artefact/artefact-schema.js';

/** An artefact of temperature 2. */
export function exampleArtefact(): CalibrationArtefact {
  const model = (id: string) => ({ id, sha256: null, importedFrom: 'aa' });
  const range = { low: 0.3, median: 0.6, high: 0.9 };
  return {
    schemaVersion: 1,
    kind: 'supportcal-calibration',
    createdAt: '2026-01-01T00:00:00.000Z',
    target: { ...model('chat'), file: null, lora: [] },
    temperatureKind: 'finite',
    temperature: 2,
    inverseTemperature: 0.5,
    use: 'softmax(logits / temperature)',
    method: {
      name: 'supportcal',
      combinationSize: 1,
      usesLabels: false,
      ownBase: model('base'),
      references: [model('ref')],
      pool: [model('ref')],
    },
    dataset: { id: 'quiz', title: 'A quiz', yamlSha256: 'bb', contentHash: null },
    prompt: null,
    optionLabels: ['A', 'B', 'C'],
    asking: null,
    fit: { rule: 'all rows', rows: 40, disagreementRate: 0.2, weightedBoundaryMargin: 1, perSeed: [] },
    expected: { temperature: null, optionCounts: { 3: 40 }, rawConfidence: range, confidence: range },
    verdict: null,
    ece: null,
    thresholds: null,
    drift: null,
    provenance: {
      suite: 's',
      command: null,
      tool: { version: '0', nodeLlamaCpp: '0', llamaCppRelease: '0' },
      backend: 'imported',
      seeds: [1],
      calibrationFraction: 0.3,
      splitGenerator: 'g',
      eceRule: 'r',
      scores: [],
    },
  };
}
