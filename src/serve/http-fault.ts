import { SupportCalError } from '../errors/supportcal-error.js';

/** A request that is not answered, with the status that its caller gets. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault';

  constructor(
    readonly statusCode: number,
    /** One word for programs. */
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

/** Every error as status and words. What is not meant for callers stays here. */
export function httpFault(error: unknown): HttpFault {
  if (error instanceof HttpFault) return error;
  if (error instanceof SupportCalError) {
    if (error.code === 'scoring' || error.code === 'interrupted')
      return new HttpFault(503, 'model', `${error.message}; ask again in a moment`);
    if (error.code === 'bad-input' || error.code === 'usage') return new HttpFault(400, 'request', error.message);
    return new HttpFault(500, 'internal', 'the service failed; its log says why');
  }
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  if (statusCode === 415)
    return new HttpFault(415, 'request', 'expected JSON: send it with the header content-type: application/json');
  // What the framework refuses: malformed JSON, a body that is too large, one of another type.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new HttpFault(statusCode, 'request', message ?? 'the request cannot be read');
  return new HttpFault(500, 'internal', 'the service failed; its log says why');
}
