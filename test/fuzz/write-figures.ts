import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Replaces the block `<!-- NAME:start -->` to `<!-- NAME:end -->` of a Markdown file, so that figures in documents are
 * those a script saw.
 */
export function writeFigures(file: string, name: string, markdown: string): void {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no block ${start} ... ${end}`);
  writeFileSync(file, `${text.slice(0, from)}${start}\n${markdown.trim()}\n${text.slice(to)}`);
}
