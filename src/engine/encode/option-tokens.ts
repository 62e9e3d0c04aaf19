import type { Tokenize } from '../protocol/backend.js';
import { tokenizeEndings } from './tokenize-endings.js';

export type OptionTokens =
  | { readonly kind: 'ok'; readonly tokens: readonly number[]; readonly optionIds: readonly number[] }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Token ids of K options, found in place: `tail + label` is tokenised for every label, the common prefix of all K is
 * what will be evaluated, and each option must be exactly one further token, all of them different. A tail that merges
 * with the labels ("Answer:" + "A" = "Answer", ":A") is thereby scored with them.
 *
 * @param head tokens before the last plain text of the prompt
 * @param tail that last plain text, answer prefix included; may be empty
 */
export function optionTokens(
  head: readonly number[],
  tail: string,
  labels: readonly string[],
  tokenize: Tokenize,
): OptionTokens {
  const empty = labels.indexOf('');
  if (empty >= 0) return refused(`option ${empty + 1} has an empty label`);
  const spans = tokenizeEndings(tail, labels, tokenize);
  const shared = commonPrefixLength(spans);
  const long = spans.findIndex((span) => span.length !== shared + 1);
  if (long >= 0) return refused(lengthReason(labels, spans, shared, long));
  const optionIds = spans.flatMap((span) => span.slice(shared));
  const twin = optionIds.findIndex((id, k) => optionIds.indexOf(id) !== k);
  if (twin >= 0) {
    const names = `${quote(labels[optionIds.indexOf(optionIds[twin] ?? -1)])} and ${quote(labels[twin])}`;
    return refused(`options ${names} share the scored token ${optionIds[twin]}. ${ADVICE}`);
  }
  const tokens = [...head, ...(spans[0] ?? []).slice(0, shared)];
  return tokens.length === 0 ? refused('the prompt has no token to score after') : { kind: 'ok', tokens, optionIds };
}

function commonPrefixLength(spans: readonly (readonly number[])[]): number {
  const shortest = Math.min(...spans.map((span) => span.length));
  let length = 0;
  while (length < shortest && spans.every((span) => span[length] === spans[0]?.[length])) length++;
  return length;
}

const ADVICE =
  'Score whole texts with `scoring: {mode: text}` or `hybrid`, or choose other option labels or another answerPrefix';

function lengthReason(labels: readonly string[], spans: readonly number[][], shared: number, k: number): string {
  const long = spans[k] ?? [];
  const count = long.length - shared;
  const name = `option ${quote(labels[k])}`;
  if (count > 1) return `${name} is ${count} tokens in its place after the prompt; letter mode needs one. ${ADVICE}`;
  const twin = spans.findIndex((span, other) => other !== k && span.length >= shared && startsWith(span, long));
  return `${name} shares its scored token with option ${quote(labels[Math.max(twin, 0)])}. ${ADVICE}`;
}

function startsWith(span: readonly number[], start: readonly number[]): boolean {
  return start.every((token, index) => span[index] === token);
}

function quote(label: string | undefined): string {
  return JSON.stringify(label ?? '');
}

function refused(reason: string): OptionTokens {
  return { kind: 'refused', reason };
}
