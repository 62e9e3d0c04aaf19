import type { ReplyForm } from '../../../contract/prompt.js';

/** A reply's form with the labels that it may name. */
export interface FormOfReply extends ReplyForm {
  readonly labels: readonly string[];
}

/** The replies of a form as a regular expression, as vLLM and SGLang take it. */
export function replyRegex({ leads, parts: [open, middle, close], labels }: FormOfReply): string {
  const any = (texts: readonly string[]) => `(${texts.map(escaped).join('|')})`;
  return `${any(leads)}${escaped(open)}${any(labels.map(quoted))}${escaped(middle)}(100|[1-9]?[0-9])${escaped(close)}`;
}

/** The replies of a form as a grammar (GBNF), as llama-server takes it. */
export function replyGrammar({ leads, parts: [open, middle, close], labels }: FormOfReply): string {
  const any = (texts: readonly string[]) => `(${texts.map(quoted).join(' | ')})`;
  const number = '("100" | [1-9] [0-9] | [0-9])';
  return `root ::= ${any(leads)} ${quoted(open)} ${any(labels.map(quoted))} ${quoted(middle)} ${number} ${quoted(close)}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\n', '\\n');
}
