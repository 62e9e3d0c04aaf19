/** Rows as plain objects, by parsers that share no code with the tool's: what an accepted file must have meant. */

export function simpleJsonl(bytes: Buffer): Record<string, unknown>[] {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** RFC 4180, character by character; a line of nothing at all is no row. */
export function simpleCsv(bytes: Buffer): string[][] {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  const rows: string[][] = [];
  let [row, cell, quoted, wasQuoted]: [string[], string, boolean, boolean] = [[], '', false, false];
  const endRow = () => {
    if (row.length > 0 || cell !== '' || wasQuoted) rows.push([...row, cell]);
    [row, cell, wasQuoted] = [[], '', false];
  };
  for (let n = 0; n < text.length; n++) {
    const character = text[n]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[n + 1] === '"') {
        cell += '"';
        n++;
      } else quoted = false;
    } else if (character === '"' && cell === '' && !wasQuoted) [quoted, wasQuoted] = [true, true];
    else if (character === ',') {
      row.push(cell);
      [cell, wasQuoted] = ['', false];
    } else if (character === '\n') endRow();
    else if (character === '\r' && text[n + 1] === '\n') {
      n++;
      endRow();
    } else cell += character;
  }
  endRow();
  return rows;
}
