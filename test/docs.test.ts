import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ZodType } from 'zod';
import { COMBINATION_METHODS, METHOD_NAMES, METHODS } from '../src/calibration/methods.js';
import { datasetSchema } from '../src/config/dataset-schema.js';
import { jsonSchemas } from '../src/config/json-schemas.js';
import { localModelsSchema, modelsFileSchema, suiteSchema } from '../src/config/models-schema.js';
import { METRICS } from '../src/metrics/metrics.js';
import { run } from './cli/fake-io.js';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const guides = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));
const blocks = (language: string) =>
  guides.flatMap((page) =>
    [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
      ([, text]) => [page, text!] as const,
    ),
  );

describe('the README and docs/', () => {
  it.each(guides)('%s: every link leads to a file, and to a heading of it', (page) => {
    for (const [, link] of read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file, heading] = link!.split('#') as [string, string?];
      const target = file === '' ? page : path.join(path.dirname(page), file);
      expect([link, existsSync(path.join(root, target))]).toEqual([link, true]);
      if (heading !== undefined) expect([link, headings(target)]).toEqual([link, expect.arrayContaining([heading])]);
    }
  });

  it('every command has a script, a command and flags that exist', async () => {
    const { scripts } = JSON.parse(read('package.json'));
    const help = new Map<string, Promise<{ stdout: string }>>();
    const lines = blocks('sh').flatMap(([, text]) => [
      ...text.matchAll(/^npm run (?:-s )?([\w:]+)(?: -- ([^#\n]+))?/gm),
    ]);
    expect(lines.length).toBeGreaterThan(25);
    for (const [line, script, rest = ''] of lines) {
      expect([line, Object.keys(scripts)]).toEqual([line, expect.arrayContaining([script])]);
      const words = rest.trim().split(/\s+/);
      const [command, ...args] = script === 'supportcal' ? words : [script!, ...words];
      const named = command === 'cache' ? [command, args[0]!] : [command!];
      const key = named.join(' ');
      if (!help.has(key)) help.set(key, run([...named, '--help']));
      for (const flag of args.filter((arg) => arg.startsWith('--')))
        expect((await help.get(key)!).stdout, line).toMatch(new RegExp(`^ +(-\\w, )?${flag}\\b`, 'm'));
    }
  });

  it.each(blocks('yaml'))('%s: the schemas accept its YAML\n%s', (_page, text) => {
    const fits = [datasetSchema, modelsFileSchema, localModelsSchema, suiteSchema].some((schema) => {
      const shape: Readonly<Record<string, ZodType>> = schema.shape;
      return Object.entries(parse(text) as object).every(([key, value]) => shape[key]?.safeParse(value).success);
    });
    expect(fits).toBe(true);
  });

  it('examples of models can be added to models.yaml as they are, and take none of its models along', () => {
    const shipped = modelsFileSchema.parse(parse(read('models.yaml'))).models;
    const examples = blocks('yaml').flatMap(([, text]) => {
      const { models = [], suites } = parse(text);
      return suites?.mine && models.length > 0 ? [{ models: modelsFileSchema.shape.models.parse(models), suites }] : [];
    });
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const { models, suites } of examples) {
      for (const model of models) {
        expect(shipped.map(({ id }) => id)).not.toContain(model.id);
        expect(shipped.map(({ bucket }) => bucket)).not.toContain(model.bucket);
      }
      expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(suites.mine.targets));
    }
  });

  it.each([
    ['docs/datasets.md', 'dataset.schema.json'],
    ['docs/models.md', 'models.schema.json'],
  ])('%s names every field of schemas/%s', (page, schema) => {
    // Settings of elicitation are beside the methods that they are for.
    const text = read(page) + read('docs/methods.md') + read('docs/served-models.md');
    for (const field of fieldsOf(JSON.parse(jsonSchemas().get(schema)!)))
      expect(text, field).toMatch(new RegExp(`\\b${field}\\b`));
  });

  it('docs/architecture.md has one line for every folder of src, and no other', () => {
    const folders = (readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true }) as Dirent[])
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.relative(path.join(root, 'src'), path.join(entry.parentPath, entry.name)));
    const rooms = [...read('docs/architecture.md').matchAll(/^\| `([^`.]+)` \|/gm)].map(([, room]) => room);
    expect(folders.length).toBeGreaterThan(40);
    expect(rooms.sort()).toEqual(folders.map((folder) => folder.replaceAll('\\', '/')).sort());
  });

  it('docs/methods.md, the help and the schema name the methods of the table, in its order, and no other', async () => {
    const column = (name: string, label: string) => (COMBINATION_METHODS.includes(name) ? `${label} (M)` : label);
    const [, table = ''] = /\| name \| column \| what it does \|\n(.*?)\n\n/s.exec(read('docs/methods.md')) ?? [];
    expect(table.split('\n').slice(1)).toEqual(
      METHODS.map(({ name, label, meaning }) => `| \`${name}\` | ${column(name, label)} | ${meaning} |`),
    );
    const { stdout } = await run(['pipeline', '--help']);
    const [, listed = ''] =
      /Methods that a suite's `methods` may name.*?:\n(.*?)\nand those of --method-file/s.exec(stdout) ?? [];
    expect(listed.trim().split(/,\s+/)).toEqual(METHOD_NAMES);
    const schema = JSON.parse(jsonSchemas().get('models.schema.json')!);
    expect(enumsOf(schema.properties.suites.additionalProperties.properties.methods)).toEqual([
      METHOD_NAMES,
      METHOD_NAMES,
    ]);
  });

  it('docs/methods.md names the metrics of the table, in its order, and no other', () => {
    const [, table = ''] = /\| field of a run \| name .*?\|\n(.*?)\n\n/s.exec(read('docs/methods.md')) ?? [];
    const best = { low: 'low', high: 'high', zero: 'near 0' };
    expect(table.split('\n').slice(1)).toEqual(
      METRICS.map(
        (each) =>
          `| \`${each.field}\` | ${each.name} | ${each.meaning} | ${each.best === null ? '' : best[each.best]} |`,
      ),
    );
  });

  it('docs/files.md names every command', async () => {
    const { stdout } = await run(['--help']);
    const commands = [
      ...stdout
        .split(/^Commands:\n/m)[1]!
        .split('\n\n')[0]!
        .matchAll(/^ {2}(\w[\w-]*)/gm),
    ];
    expect(commands.length).toBeGreaterThan(10);
    for (const [, command] of commands)
      if (command !== 'help') expect(read('docs/files.md')).toContain(`\`${command}\``);
  });
});

/** The anchors of a page, as GitHub makes them. */
function headings(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The values of every `enum` of a JSON Schema. */
function enumsOf(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return 'enum' in schema ? [schema.enum] : Object.values(schema).flatMap(enumsOf);
}

/** Names of all properties of a JSON Schema, nested ones too. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(fieldsOf)];
}
