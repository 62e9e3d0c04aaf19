import type { ModelSpec } from '../../config/models-schema.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ServedPrompt } from './api/served-api.js';
import { EndpointFault } from './endpoint-fault.js';

/** A prompt for a server, and the K texts that may follow it, with the spaces that belong to them. */
export interface FramedPrompt extends ServedPrompt {
  readonly labels: readonly string[];
}

/** What stands before the options: the text of the example, or the question and the beginning of the reply. */
type Question = Pick<ExamplePrompt, 'text' | 'continuations' | 'answerPrefix'>;

/**
 * The prompt as `answerPrefixOf` puts it together for a file. Spaces at its end go to the options, since a tokenizer
 * makes one token of a space and the word after it: the text that is sent must end where a token does.
 */
export function framePrompt(
  { text, continuations, answerPrefix }: Question,
  { prompt, assistantPrefix = '' }: Pick<ModelSpec, 'prompt' | 'assistantPrefix'>,
): FramedPrompt {
  const chat = prompt === 'chat';
  const before = chat ? assistantPrefix : text;
  const between = answerPrefix ?? (before === '' || /\s$/u.test(before) ? '' : ' ');
  const whole = before + between;
  const ending = whole.replace(/ +$/, '');
  const labels = continuations.map((label) => whole.slice(ending.length) + label);
  return chat ? { chat, text, reply: ending, labels } : { chat, text: ending, reply: '', labels };
}

/** Marks of control tokens in the vocabularies and templates of well-known models. */
const CONTROL_MARK =
  /<\|[^|<>\s]{1,40}\|>|<\/?s>|<(?:bos|eos|pad|unk)>|<(?:start|end)_of_turn>|\[\/?INST\]|<｜[^｜<>]{1,40}｜>/u;

/** @throws EndpointFault (row) for a text that the server would read as more than text */
export function refuseControlMarks(texts: readonly string[]): void {
  for (const text of texts) {
    const mark = controlMark({ text });
    if (mark === null) continue;
    const message = `its text holds ${mark}, which the server would read as a control token, not as text`;
    throw new EndpointFault('row', message);
  }
}

/**
 * A piece of the text that a server would take for a control token, so that a data set could write a message of its
 * own; null: none. A server reads prompts that way, while a file here gets them as plain text.
 */
function controlMark({ text }: Pick<ServedPrompt, 'text'>): string | null {
  return CONTROL_MARK.exec(text)?.[0] ?? null;
}
