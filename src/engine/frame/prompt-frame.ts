import type { ControlToken } from '../protocol/backend.js';
import type { RenderedTemplate } from './chat-template.js';

/** A control token, literal text of the template, or the place of the question. */
type FramePart =
  | { readonly kind: 'control'; readonly token: ControlToken }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'question' };

/** What stands around a question, the same for all prompts of a model. */
export interface PromptFrame {
  readonly parts: readonly FramePart[];
  readonly trims: boolean;
  /**
   * The prompt ends in the template's header of the reply, after which nothing is put by default (`answerPrefixOf`).
   */
  readonly endsInHeader: boolean;
}

export const RAW_FRAME: PromptFrame = { parts: [{ kind: 'question' }], trims: false, endsInHeader: false };

/**
 * The frame of a rendered template: only the template's own text may hold control tokens.
 *
 * @param assistantPrefix plain text at the start of the reply; it joins the template's text before both are tokenised
 */
export function chatFrame(
  rendered: RenderedTemplate,
  controlTokens: readonly ControlToken[],
  assistantPrefix = '',
): PromptFrame {
  const longestFirst = controlTokens.filter((token) => token.text !== '').sort((a, b) => b.text.length - a.text.length);
  return {
    parts: [
      ...splitControl(rendered.before, longestFirst),
      { kind: 'question' },
      ...splitControl(rendered.after, longestFirst),
      ...(assistantPrefix === '' ? [] : [{ kind: 'text' as const, text: assistantPrefix }]),
    ],
    trims: rendered.trims,
    endsInHeader: assistantPrefix === '',
  };
}

/**
 * Text between prompt and label: as given, else one space after a visible character of a raw prompt or of an assistant
 * prefix, else nothing.
 */
export function answerPrefixOf(frame: PromptFrame, text: string, given: string | null): string {
  if (given !== null) return given;
  return frame.endsInHeader || text === '' || /\s$/u.test(text) ? '' : ' ';
}

/** One pass per token, longest first, as llama.cpp partitions a text. */
function splitControl(text: string, longestFirst: readonly ControlToken[]): FramePart[] {
  let parts: FramePart[] = text === '' ? [] : [{ kind: 'text', text }];
  for (const token of longestFirst) {
    if (!text.includes(token.text)) continue;
    parts = parts.flatMap((part) => (part.kind === 'text' ? splitAt(part.text, token) : [part]));
  }
  return parts;
}

function splitAt(text: string, token: ControlToken): FramePart[] {
  return text
    .split(token.text)
    .flatMap((piece, index): FramePart[] => [
      ...(index === 0 ? [] : [{ kind: 'control' as const, token }]),
      ...(piece === '' ? [] : [{ kind: 'text' as const, text: piece }]),
    ]);
}
