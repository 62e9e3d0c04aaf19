import type { FastifyInstance, FastifyReply } from 'fastify';
import { completionRequest, completionResponse, fault, scoreRequest, scoreResponse } from './api-schemas.js';
import { HttpFault } from './http-fault.js';
import { type CompletionRequest, type Interface, proxyCompletion } from './proxy-completion.js';
import { questionsOf, type ScoreRequest, scoreQuestions } from './score-questions.js';
import { chosenArtefact } from './served-artefacts.js';
import type { Service } from './service.js';

const FAULTS = { '4xx': fault, '5xx': fault } as const;
const INTERFACES = ['/v1/chat/completions', '/v1/completions'] as const satisfies readonly Interface[];

export function addRoutes(app: FastifyInstance, service: Service): void {
  const { served, settings, metrics } = service;
  const describe = (summary: string, more: object = {}) => ({ schema: { summary, ...more } });

  app.get('/healthz', describe('Whether the service answers, and its models are loaded.'), async () => ({
    status: 'ok',
    artefacts: served.map(({ name, answerer }) => ({ artefact: name, model: modelState(answerer?.model.isOpen()) })),
  }));
  app.get('/metrics', describe('Counts and times for Prometheus.'), async (_, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  app.get('/v1/artefacts', describe('The calibrations that are served.'), async () => ({
    artefacts: served.map(
      ({ name, artefact: { target, dataset, method, temperature, temperatureKind, expected } }) => ({
        artefact: name,
        target: target.id,
        dataset: dataset.id,
        method: method.name,
        temperatureKind,
        temperature,
        optionCounts: expected.optionCounts,
      }),
    ),
  }));
  app.post<{ Body: ScoreRequest }>(
    '/v1/score',
    describe('Calibrated answers to questions, or to logits.', {
      body: scoreRequest,
      response: { 200: scoreResponse, ...FAULTS },
    }),
    async ({ body }) => inTime(service, score(service, body)),
  );
  for (const path of INTERFACES) {
    app.post<{ Body: CompletionRequest }>(
      path,
      describe('The answer of the server behind, with calibrated confidences.', {
        body: completionRequest,
        response: { 200: completionResponse, ...FAULTS },
      }),
      async ({ body }, reply) => complete(service, path, body, reply),
    );
  }
  async function complete(_: Service, path: Interface, body: CompletionRequest, reply: FastifyReply) {
    const { status, body: answer, calibrated } = await proxyCompletion(served, settings, path, body);
    for (const each of calibrated)
      metrics.question(each.artefact, each.status, each.status === 'unknown' ? null : each.confidence);
    // What is not of the schema of answers is the server's own fault, which goes through as it is.
    return reply.code(status).serializer(JSON.stringify).send(answer);
  }
}

/** One answer for one question; `answers` for a list of them, each with a status of its own. */
async function score({ served, settings, watches }: Service, body: ScoreRequest) {
  const chosen = chosenArtefact(served, body.artefact);
  const answered = await scoreQuestions(chosen, questionsOf(body, settings.limits), settings.limits);
  watches.get(chosen.name)?.add(answered);
  const rows = answered.map(({ row }) => row);
  if (body.questions !== undefined) return { artefact: chosen.name, answers: rows };
  const [row] = rows;
  if (row === undefined) throw new HttpFault(500, 'internal', 'the question got no answer');
  if (row.status === 'failed') throw new HttpFault(422, 'question', row.reason);
  return { ...row, artefact: chosen.name };
}

/** A caller is not kept longer than agreed; the model goes on, and what it says is dropped. */
async function inTime<T>({ settings: { limits } }: Service, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `no answer in ${limits.answerMs / 1000} s; ask again in a moment, or fewer questions at once`;
    timer = setTimeout(() => reject(new HttpFault(504, 'time', message)), limits.answerMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function modelState(isOpen: boolean | undefined): string {
  if (isOpen === undefined) return 'none';
  return isOpen ? 'loaded' : 'not loaded';
}
