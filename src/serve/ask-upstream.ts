import { HttpFault } from './http-fault.js';
import type { ServiceSettings } from './service-settings.js';

/** Bytes of a reply that are read. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface UpstreamReply {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request on to the server behind the proxy, and reads its JSON. */
export async function askUpstream(
  { upstream, limits }: ServiceSettings,
  path: string,
  body: unknown,
): Promise<UpstreamReply> {
  if (upstream === null)
    throw new HttpFault(404, 'upstream', 'no server is behind this one; start with --upstream URL');
  const { url, key } = upstream;
  const headers = { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) };
  const signal = AbortSignal.timeout(limits.answerMs);
  try {
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal, redirect: 'error' } as const;
    const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, request);
    return { status: response.status, body: JSON.parse(await textOf(response)) };
  } catch (error) {
    if (error instanceof HttpFault) throw error;
    if (signal.aborted) throw new HttpFault(504, 'upstream', `${url} gave no answer in ${limits.answerMs / 1000} s`);
    if (error instanceof SyntaxError) throw new HttpFault(502, 'upstream', `${url} answered with no JSON`);
    const { cause } = error as { cause?: { code?: string } };
    throw new HttpFault(502, 'upstream', `${url} cannot be reached (${cause?.code ?? (error as Error).message})`);
  }
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new HttpFault(502, 'upstream', `the answer has more than ${MOST_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
