import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkAdmission } from './admission.js';
import { AnswerWatch } from './answer-watch.js';
import { HttpFault, httpFault } from './http-fault.js';
import { asJson, refuseUnreadable } from './json-body.js';
import { addRoutes } from './routes.js';
import type { ServiceParts } from './service.js';
import { serviceMetrics } from './service-metrics.js';

/** Callers that may be connected at once. */
const MOST_CONNECTIONS = 4096;

/** The service without a port: `inject` asks it in tests, `listen` opens it. */
export async function httpApp(parts: ServiceParts): Promise<FastifyInstance> {
  const [{ default: fastify }, { default: swagger }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
  ]);
  const { served, settings, version, onLog } = parts;
  const { limits } = settings;
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { statusCode, type, message } = httpFault(error);
    if (statusCode === 500) onLog('error', `${request.method} ${request.routeOptions.url}: ${String(error)}`);
    if (statusCode === 503) reply.header('retry-after', '1');
    return reply.code(statusCode).send({ error: { type, message } });
  };
  const app = fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.receiveMs,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
    http: {
      headersTimeout: limits.receiveMs,
      connectionsCheckingInterval: Math.min(1000, limits.receiveMs),
      maxHeaderSize: 16_384,
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: false, allowUnionTypes: true } },
  });
  app.server.maxConnections = MOST_CONNECTIONS;
  closeSilent(app, limits.receiveMs);
  const metrics = await serviceMetrics(served);
  const warn = (text: string) => onLog('warn', text);
  const watches = new Map(served.map((each) => [each.name, new AnswerWatch(each, metrics, warn)]));
  readJson(app);
  app.addHook('onRequest', async ({ headers, url }) => {
    if (url !== '/healthz') checkAdmission(headers, settings);
    refuseUnreadable(headers);
  });
  app.addHook('onResponse', async (request, reply) =>
    metrics.request(request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000),
  );
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) =>
    fail(new HttpFault(404, 'route', 'no such address; /openapi.json lists them'), request, reply),
  );
  await app.register(swagger, {
    openapi: { info: { title: 'SupportCal', version, description: 'Calibrated answers of language models.' } },
  });
  await app.register(async (inner) => addRoutes(inner, { ...parts, metrics, watches }));
  return app;
}

/** Who has said nothing when a request must have come is let go: Node waits for a first byte for ever. */
function closeSilent({ server }: FastifyInstance, receiveMs: number): void {
  server.on('connection', (socket) => {
    const look = () => {
      if (socket.bytesRead === 0) socket.destroy();
    };
    setTimeout(look, receiveMs).unref();
  });
}

/** JSON and nothing else: a form, or text, is what a page of the web could send without being asked. */
function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
    // What goes on to a server behind is read as that server will read it.
    asJson(body, request.routeOptions.url === '/v1/score' ? 'exact' : 'usual'),
  );
}
