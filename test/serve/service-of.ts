import { setTimeout as pause } from 'node:timers/promises';
import { calibratedPrediction } from '../../src/core/calibrated-prediction.js';
import type { ArtefactAnswerer } from '../../src/pipeline/predict/artefact-answerer.js';
import type { ServedArtefact } from '../../src/serve/served-artefacts.js';
import type { ServiceParts } from '../../src/serve/service.js';
import { DEFAULT_LIMITS, type ServiceSettings } from '../../src/serve/service-settings.js';
import { exampleArtefact } from '../pipeline/artefact/example-artefact.js';

const LIMITS = { ...DEFAULT_LIMITS, waiting: 300, receiveMs: 300, answerMs: 200 };

const SETTINGS: ServiceSettings = { host: '127.0.0.1', port: 0, token: null, upstream: null, limits: LIMITS };

/**
 * A service with two artefacts: of `chat/quiz`, whose model gives the first letter the logit 2 and the others 0, and of
 * `chat/bare`, which has no model and abstains below 0.5. A question "slow" takes its time, "broken" has a fault of the
 * service.
 */
export function serviceOf(settings: Partial<ServiceSettings> = {}, answerMs = LIMITS.answerMs) {
  const logged: string[] = [];
  const artefact = exampleArtefact();
  const bare = { ...artefact, dataset: { ...artefact.dataset, id: 'bare' } };
  const served: ServedArtefact[] = [
    { name: 'chat/quiz', artefact, answerer: fakeAnswerer(artefact) },
    { name: 'chat/bare', artefact: bare, answerer: null, abstainBelow: 0.5 },
  ];
  const parts: ServiceParts = {
    served,
    settings: { ...SETTINGS, limits: { ...LIMITS, answerMs }, ...settings },
    version: '1.2.3',
    onLog: (level, text) => logged.push(`${level}: ${text}`),
  };
  return { parts, logged };
}

function fakeAnswerer(artefact: ServedArtefact['artefact']): ArtefactAnswerer {
  let waiting = 0;
  const model = {
    open: () => Promise.reject(new Error('is open')),
    score: () => Promise.reject(new Error('is not asked')),
    isOpen: () => true,
    waiting: () => waiting,
    close: async () => undefined,
  };
  return {
    artefact,
    model,
    close: async () => undefined,
    async answer(rows) {
      waiting += rows.length;
      try {
        if (rows.some(({ values }) => values.question === 'slow')) await pause(400);
        if (rows.some(({ values }) => values.question === 'broken')) throw new TypeError('a secret of the service');
        return rows.map(({ values, number }) => {
          const id = String(values.id ?? number);
          const options = Array.isArray(values.options) ? values.options : [];
          if (options.length < 2)
            return {
              row: { id, status: 'failed', reason: 'no options' },
              logits: null,
              optionMass: Number.NaN,
              promptTokens: 0,
            };
          const logits = options.map((_, k) => (k === 0 ? 2 : 0));
          const said = calibratedPrediction(logits, artefact.inverseTemperature);
          const row = { id, status: 'ok' as const, predictionLabel: 'A', predictionText: String(options[0]), ...said };
          return { row, logits, optionMass: 0.9, promptTokens: 20 };
        });
      } finally {
        waiting -= rows.length;
      }
    },
  };
}
