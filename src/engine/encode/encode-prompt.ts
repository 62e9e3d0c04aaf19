import { answerPrefixOf, type PromptFrame } from '../frame/prompt-frame.js';
import type { ControlToken, Tokenize } from '../protocol/backend.js';
import type { WirePrompt } from '../protocol/protocol.js';
import { type OptionTokens, optionTokens } from './option-tokens.js';
import { type TextTokens, textTokens } from './text-tokens.js';

/**
 * Tokens of one prompt and of its options. Neighbouring plain parts (template text, question, answer prefix) are joined
 * before they are tokenised, and always as plain text. The start token is put first unless the template wrote it.
 *
 * @param bosId start token to put first, or null
 */
export function encodePrompt(
  prompt: Pick<WirePrompt, 'text' | 'continuations' | 'answerPrefix'>,
  frame: PromptFrame,
  bosId: number | null,
  tokenize: Tokenize,
): OptionTokens {
  const { head, tail } = promptParts(prompt, frame, bosId, tokenize);
  return optionTokens(head, tail, prompt.continuations, tokenize);
}

/** Tokens of a prompt whose continuations are scored as whole texts, found in the same way. */
export function encodeText(
  prompt: Pick<WirePrompt, 'text' | 'continuations' | 'answerPrefix'>,
  frame: PromptFrame,
  bosId: number | null,
  tokenize: Tokenize,
): TextTokens {
  const { head, tail } = promptParts(prompt, frame, bosId, tokenize);
  return textTokens(head, tail, prompt.continuations, tokenize);
}

/**
 * The tokens of a prompt that nothing is scored after, and the last plain text among them (`tail`), which what follows
 * meets; the answer prefix, where one is given, stands at its end.
 */
export function promptTokens(
  prompt: Pick<WirePrompt, 'text' | 'answerPrefix'>,
  frame: PromptFrame,
  bosId: number | null,
  tokenize: Tokenize,
): { readonly tokens: readonly number[]; readonly tail: string } {
  const { head, tail } = promptParts({ ...prompt, answerPrefix: prompt.answerPrefix ?? '' }, frame, bosId, tokenize);
  return { tokens: [...head, ...(tail === '' ? [] : tokenize(tail))], tail };
}

/** Tokens up to the last plain text of the prompt, and that text with the answer prefix, which meets the options. */
function promptParts(
  { text, answerPrefix }: Pick<WirePrompt, 'text' | 'answerPrefix'>,
  frame: PromptFrame,
  bosId: number | null,
  tokenize: Tokenize,
): { readonly head: readonly number[]; readonly tail: string } {
  const question = frame.trims ? text.trim() : text;
  const pieces = joinPlain(frame, question);
  const tail = typeof pieces.at(-1) === 'string' ? (pieces.pop() as string) : '';
  const head = pieces.flatMap((piece) => (typeof piece === 'string' ? tokenize(piece) : [piece.id]));
  if (bosId !== null && head[0] !== bosId) head.unshift(bosId);
  return { head, tail: tail + answerPrefixOf(frame, tail, answerPrefix) };
}

function joinPlain(frame: PromptFrame, question: string): (string | ControlToken)[] {
  const pieces: (string | ControlToken)[] = [];
  for (const part of frame.parts) {
    const before = pieces.at(-1);
    if (part.kind === 'control') {
      if (typeof before === 'string' && part.token.stripsLeft) pieces[pieces.length - 1] = before.trimEnd();
      pieces.push(part.token);
      continue;
    }
    const text = part.kind === 'question' ? question : part.text;
    if (typeof before === 'string') pieces[pieces.length - 1] = before + text;
    else pieces.push(before?.stripsRight === true ? text.trimStart() : text);
  }
  return pieces.filter((piece) => piece !== '');
}
