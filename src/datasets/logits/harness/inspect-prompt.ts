import { isRowObject, type RowObject, type RowValue } from '../../../formats/row/source-row.js';

const ATTACHMENT = 'attachment://';

/** What the user message of a sample says; null: there is none with text. Long texts stand among the attachments. */
export function inspectPrompt(values: RowObject): string | null {
  const messages = Array.isArray(values.messages) ? (values.messages as readonly RowValue[]) : [];
  const asked = messages.filter(isRowObject).filter(({ role }) => role === 'user');
  const texts = asked.flatMap(({ content }) => textOf(content)).map((text) => attached(text, values.attachments));
  return texts.length === 0 ? null : texts.join('\n');
}

function textOf(content: RowValue | undefined): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return (content as readonly RowValue[])
    .filter(isRowObject)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

function attached(text: string, attachments: RowValue | undefined): string {
  if (!text.startsWith(ATTACHMENT) || !isRowObject(attachments)) return text;
  const name = text.slice(ATTACHMENT.length);
  const found = Object.hasOwn(attachments, name) ? attachments[name] : undefined;
  return typeof found === 'string' ? found : text;
}

/** Whether choice k stands after letter k, one after the other. A shuffled task shows them otherwise. */
export function showsInOrder(prompt: string, choices: readonly string[]): boolean {
  let from = 0;
  return choices.every((choice, k) => {
    const letter = String.fromCharCode(65 + k);
    const places = [')', '.', ':']
      .map((mark) => prompt.indexOf(`${letter}${mark} ${choice}`, from))
      .filter((at) => at >= 0);
    if (places.length === 0) return false;
    from = Math.min(...places) + 1;
    return true;
  });
}
