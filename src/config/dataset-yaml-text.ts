import type { DatasetYaml } from './dataset-schema.js';

/**
 * A data-set YAML as text: one line per field, nested ones in flow style, texts in double quotes where YAML could read
 * them as something else.
 */
export function datasetYamlText(
  { title, source, fields, decode, prompt, ...rest }: DatasetYaml,
  comment: readonly string[],
): string {
  const lines = [
    ...comment.map((line) => `# ${line}`),
    ...(title === undefined ? [] : [`title: ${flow(title)}`]),
    `source: ${flow(source)}`,
    ...block('fields', fields),
    ...block('decode', decode),
    ...Object.entries(rest).map(([key, value]) => `${key}: ${flow(value)}`),
    ...block('prompt', prompt),
  ];
  return `${lines.join('\n')}\n`;
}

function block(name: string, value: object | undefined): string[] {
  if (value === undefined) return [];
  return [`${name}:`, ...Object.entries(value).map(([key, each]) => `  ${flow(key)}: ${flow(each)}`)];
}

function flow(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).filter(([, each]) => each !== undefined);
    return `{ ${pairs.map(([key, each]) => `${flow(key)}: ${flow(each)}`).join(', ')} }`;
  }
  return JSON.stringify(value);
}

/** Words, numbers within words, paths: nothing that YAML gives a meaning of its own. */
function isPlain(text: string): boolean {
  return /^[A-Za-z_./][\w./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n|\.nan|\.inf|\.+)$/i.test(text);
}
