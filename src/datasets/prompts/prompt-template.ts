/** A template cut into literal text and field names; rendering never looks at inserted text again. */
export interface PromptTemplate {
  readonly parts: ReadonlyArray<{ readonly text: string } | { readonly field: string }>;
  readonly fields: readonly string[];
}

/** Splits `{field}` from literal text; `{{` and `}}` are braces. Returns what is wrong instead, if something is. */
export function parseTemplate(template: string): PromptTemplate | { readonly fault: string } {
  const parts: ({ text: string } | { field: string })[] = [];
  let text = '';
  for (let at = 0; at < template.length; at++) {
    const character = template.charAt(at);
    if (character !== '{' && character !== '}') {
      text += character;
    } else if (template[at + 1] === character) {
      text += character;
      at++;
    } else {
      const end = character === '{' ? template.indexOf('}', at) : -1;
      const field = template.slice(at + 1, end).trim();
      if (end < 0 || field === '' || field.includes('{')) return { fault: braceFault(template, at) };
      if (text !== '') parts.push({ text });
      parts.push({ field });
      text = '';
      at = end;
    }
  }
  if (text !== '') parts.push({ text });
  return { parts, fields: [...new Set(parts.flatMap((part) => ('field' in part ? [part.field] : [])))] };
}

/** Fills a template; `value` gives the text of each field that the template names. */
export function fillTemplate(template: PromptTemplate, value: (field: string) => string): string {
  let filled = '';
  for (const part of template.parts) filled += 'text' in part ? part.text : value(part.field);
  return filled;
}

function braceFault(template: string, at: number): string {
  const around = JSON.stringify(template.slice(at, at + 20));
  return `the brace at character ${at + 1} (${around}) belongs to no {field}; write {{ or }} for a brace itself`;
}
