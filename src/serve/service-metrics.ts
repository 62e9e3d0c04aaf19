import type { ServedArtefact } from './served-artefacts.js';

/** What Prometheus reads at /metrics. */
export interface ServiceMetrics {
  request(route: string, status: number, seconds: number): void;
  /** @param confidence null: the question got no answer */
  question(artefact: string, status: string, confidence: number | null): void;
  /** A stretch of questions that were looked at together. */
  window(artefact: string, isUnlike: boolean): void;
  readonly contentType: string;
  text(): Promise<string>;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const TENTHS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

export async function serviceMetrics(served: readonly ServedArtefact[]): Promise<ServiceMetrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const register = new Registry();
  collectDefaultMetrics({ register });
  const registers = [register];
  const requests = new Histogram({
    registers,
    name: 'supportcal_request_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['route', 'status'],
    buckets: SECONDS,
  });
  const questions = new Counter({
    registers,
    name: 'supportcal_questions_total',
    help: 'Questions, by whether they got an answer.',
    labelNames: ['artefact', 'status'],
  });
  const confidences = new Histogram({
    registers,
    name: 'supportcal_confidence',
    help: 'Calibrated confidence of the answers.',
    labelNames: ['artefact'],
    buckets: TENTHS,
  });
  const windows = new Counter({
    registers,
    name: 'supportcal_windows_total',
    labelNames: ['artefact', 'drift'],
    help: 'Stretches of 200 questions, by whether they are unlike those of the fit.',
  });
  new Gauge({
    registers,
    name: 'supportcal_waiting_questions',
    help: 'Questions that a model has not answered yet.',
    labelNames: ['artefact'],
    collect() {
      for (const { name, answerer } of served) this.set({ artefact: name }, answerer?.model.waiting() ?? 0);
    },
  });
  new Gauge({
    registers,
    name: 'supportcal_model_loaded',
    help: 'Whether the model of an artefact is loaded.',
    labelNames: ['artefact'],
    collect() {
      for (const { name, answerer } of served) this.set({ artefact: name }, Number(answerer?.model.isOpen() ?? false));
    },
  });
  return {
    request: (route, status, seconds) => requests.observe({ route, status }, seconds),
    question(artefact, status, confidence) {
      questions.inc({ artefact, status });
      if (confidence !== null) confidences.observe({ artefact }, confidence);
    },
    window: (artefact, isUnlike) => windows.inc({ artefact, drift: String(isUnlike) }),
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
