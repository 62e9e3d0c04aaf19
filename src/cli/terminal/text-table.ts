/** Columns of text, padded to the widest cell; two spaces between them, none at the end of a line. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((name, c) =>
    rows.reduce((width, row) => Math.max(width, row[c]?.length ?? 0), name.length),
  );
  return [header, ...rows].map((row) =>
    row
      .map((cell, c) => cell.padEnd(widths[c] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Columns of text as `textTable` pads them, without a header and moved in by two spaces. */
export function alignedRows(rows: readonly (readonly string[])[]): string[] {
  return textTable(rows[0]?.map(() => '') ?? [], rows)
    .slice(1)
    .map((line) => `  ${line}`);
}
