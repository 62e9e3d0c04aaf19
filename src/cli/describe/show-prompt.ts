import type { ShownPrompt } from '../../pipeline/estimate/inspect-prompts.js';

/** One example as one model gets it, for reading: text, tokens, options and where the start token comes from. */
export function describePrompt({ dataset, model, bos, prompt }: ShownPrompt): string[] {
  const title = `${model}, ${dataset}, example ${prompt.id} (${prompt.mode} mode)`;
  if (prompt.refused !== null) return [title, `  cannot be scored: ${prompt.refused}`, ''];
  const piece = (text: string | undefined) => JSON.stringify(text ?? '');
  const pairs = (ids: readonly number[], pieces: readonly string[]) =>
    ids.map((id, n) => `${id} ${piece(pieces[n])}`).join('  ');
  return [
    title,
    ...(prompt.text ?? '').split('\n').map((line) => `  | ${line}`),
    `  start token  ${bos.add ? `yes (${bos.id})` : 'no'}: ${bos.reason}`,
    `  tokens       ${prompt.tokens.length}`,
    ...wrapped(prompt.tokens.map((id, n) => `${id} ${piece(prompt.pieces?.[n])}`)),
    '  options',
    ...prompt.options.map(
      (option, k) => `    ${piece(option.text)}  ${pairs(option.tokens, prompt.optionPieces?.[k] ?? [])}`,
    ),
    '',
  ];
}

function wrapped(cells: readonly string[]): string[] {
  const lines: string[] = [];
  for (const cell of cells) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 2 + cell.length <= 116) lines[lines.length - 1] = `${last}  ${cell}`;
    else lines.push(`    ${cell}`);
  }
  return lines;
}
