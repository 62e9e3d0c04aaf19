import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES, FORMATS, formatNamed, namesOf } from '../../src/formats/format-table.js';
import { temporaryFolder } from '../datasets/temporary-spec.js';

const root = path.resolve(import.meta.dirname, '../..');
const folder = temporaryFolder();

describe('the table of formats', () => {
  it('has the names that the schema of the YAML takes and docs/datasets.md lists', () => {
    const schemas = JSON.stringify(JSON.parse(readFileSync(path.join(root, 'schemas/dataset.schema.json'), 'utf8')));
    expect(schemas).toContain(`"enum":${JSON.stringify(FORMAT_NAMES)}`);
    const [, listed = ''] = /^\| `format` \| (.*?), where /m.exec(docs()) ?? [];
    expect(listed).toBe(FORMAT_NAMES.map((name) => `\`${name}\``).join(', '));
  });

  it('is what the messages of an unknown format name', async () => {
    folder.write('rows.what', 'a b c');
    await expect(folder.load({ source: 'rows.what', fields: { options: { columns: ['a', 'b'] } } })).rejects.toThrow(
      `(${namesOf(FORMATS)})`,
    );
  });

  it('gives every ending and every name to one format', () => {
    const endings = FORMATS.flatMap((format) => format.endings);
    expect(endings.length).toBeGreaterThanOrEqual(FORMATS.length);
    expect(new Set(endings).size).toBe(endings.length);
    expect(new Set(FORMAT_NAMES).size).toBe(FORMATS.length);
    for (const format of FORMATS) expect(formatNamed(format.name)).toBe(format);
  });
});

function docs(): string {
  return readFileSync(path.join(root, 'docs/datasets.md'), 'utf8');
}
