import type { ControlToken, Tokenize } from './backend.js';
import { type OptionTokens, optionTokens } from './option-tokens.js';
import { answerPrefixOf, type PromptFrame } from './prompt-frame.js';
import type { WirePrompt } from './protocol.js';

/**
 * Tokens of one prompt and of its options. Neighbouring plain parts (template text, question, answer prefix) are joined
 * before they are tokenised, and always as plain text. The start token is put first unless the template wrote it.
 *
 * @param bosId start token to put first, or null
 */
export function encodePrompt(
  prompt: WirePrompt,
  frame: PromptFrame,
  bosId: number | null,
  tokenize: Tokenize,
): OptionTokens {
  const question = frame.trims ? prompt.text.trim() : prompt.text;
  const pieces = joinPlain(frame, question);
  const tail = typeof pieces.at(-1) === 'string' ? (pieces.pop() as string) : '';
  const head = pieces.flatMap((piece) => (typeof piece === 'string' ? tokenize(piece) : [piece.id]));
  if (bosId !== null && head[0] !== bosId) head.unshift(bosId);
  const prefix = answerPrefixOf(frame, tail, prompt.answerPrefix);
  return optionTokens(head, tail + prefix, prompt.continuations, tokenize);
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
