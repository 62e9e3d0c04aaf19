import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** Folder -> layer. Imports go to a lower number; equal numbers only inside one folder, or as types. */
const LAYERS: Record<string, number> = {
  main: 6,
  index: 5,
  cli: 5,
  pipeline: 4,
  config: 3,
  datasets: 3,
  scoring: 3,
  cache: 3,
  calibration: 3,
  metrics: 3,
  report: 3,
  deploy: 3,
  engine: 3,
  arrow: 1,
  numeric: 1,
  hub: 2,
  files: 1,
  errors: 0,
};

/** Values that one middle folder may take from another: scoring is the only caller of the engine. */
const ALLOWED_SIBLINGS = new Set(['scoring -> engine']);

/** Third-party package -> the one folder or file that may import it. */
const DOORS: Record<string, string[]> = {
  'node-llama-cpp': ['engine/'],
  '@huggingface/jinja': ['engine/'],
  'p-queue': ['scoring/'],
  yaml: ['config/'],
  'fastest-levenshtein': ['errors/'],
  zod: ['config/', 'report/', 'deploy/'],
  'apache-arrow': ['arrow/'],
  winston: ['cli/'],
  commander: ['cli/'],
  'cli-progress': ['cli/'],
  'csv-parse': ['datasets/'],
  entities: ['datasets/'],
  tinyglobby: ['datasets/'],
  hyparquet: ['datasets/'],
  'hyparquet-compressors': ['datasets/'],
  'proper-lockfile': ['cache/'],
  'pure-rand': ['numeric/'],
  'd3-scale': ['report/'],
  'd3-shape': ['report/'],
  'cli-table3': ['report/'],
  picocolors: ['report/'],
};

const PURE = ['numeric/', 'calibration/', 'metrics/'];

/** An equation, figure, section or appendix of the paper, or a publication with its year. */
const CITATION = /\b(Eq\.|Prop\.|Proposition|Fig\.|Sec\.|App\.)|\b1[89]\d\d\b|\b20[0-2]\d\b|bench\/study/;

/** Exported functions of the mathematics that hold, move, order or check numbers and compute nothing. */
const NO_EQUATION = new Set([
  ...[
    'gatherExamples',
    'longestRow',
    'zeroSignal',
    'floorOfShare',
    'gather',
    'isUsableLogit',
    'areUsableLogits',
    'mean',
  ],
  ...['sampleStandardDeviation', 'raggedRows', 'rowOf', 'takeRows', 'sameShape', 'sharedRows', 'sharedArray'],
  ...['smallestBy', 'sortConfidences', 'stringOrder', 'inBlocks'],
]);

const src = path.resolve(import.meta.dirname, '..', 'src');
const files = (readdirSync(src, { recursive: true }) as string[])
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && statSync(path.join(src, file)).isFile());

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(path.join(src, from), 'utf8');
  const statics = [...text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gms)];
  const bare = [...text.matchAll(/^import\s+()'([^']+)'/gm)];
  const dynamic = [...text.matchAll(/\bimport\(\s*()'([^']+)'\s*\)/g)];
  return [...statics, ...bare, ...dynamic].map((match) => ({
    from,
    to: match[2]!,
    typeOnly: match[1] !== undefined && match[1] !== '',
  }));
});

const layerOf = (file: string) => file.replace(/\.ts$/, '').split('/')[0]!;

describe('the folder tree', () => {
  it('gives every source file a layer', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !(layerOf(file) in LAYERS))).toEqual([]);
  });

  it('imports downwards only; middle folders share types, never values', () => {
    const breaches = imports
      .filter(({ to }) => to.startsWith('.'))
      .map((each) => ({
        ...each,
        target: path.posix.normalize(path.posix.join(path.posix.dirname(each.from), each.to)),
      }))
      .filter(({ from, target, typeOnly }) => {
        const [upper, lower] = [layerOf(from), layerOf(target.replace(/\.js$/, '.ts'))];
        if (upper === lower) return false;
        const down = LAYERS[upper]! > LAYERS[lower]!;
        const sibling = LAYERS[upper] === LAYERS[lower] && (typeOnly || ALLOWED_SIBLINGS.has(`${upper} -> ${lower}`));
        return !down && !sibling;
      })
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(breaches).toEqual([]);
  });

  it('opens one door per third-party package', () => {
    const outside = imports.filter(({ to }) => !to.startsWith('.') && !to.startsWith('node:'));
    const packageOf = (name: string) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
    const breaches = outside
      .filter(({ from, to }) => !(DOORS[packageOf(to)] ?? []).some((door) => from.startsWith(door)))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(breaches).toEqual([]);
  });

  it('keeps numeric, calibration and metrics free of files, clocks, loggers, environment and chance', () => {
    const impure = files
      .filter((file) => PURE.some((folder) => file.startsWith(folder)))
      .filter((file) =>
        /from 'node:|process\.|Date\.now|new Date|Math\.random|console\./.test(
          readFileSync(path.join(src, file), 'utf8'),
        ),
      );
    expect(impure).toEqual([]);
  });

  it('says in numeric, calibration and metrics which equation every exported function computes', () => {
    const found = files
      .filter((file) => PURE.some((folder) => file.startsWith(folder)))
      .flatMap((file) => documentedFunctions(file));
    expect(found.length).toBeGreaterThan(100);
    const silent = found.filter(({ name, doc }) => !CITATION.test(doc) && !(doc !== '' && NO_EQUATION.has(name)));
    expect(silent.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
    expect([...NO_EQUATION].filter((name) => !found.some((each) => each.name === name))).toEqual([]);
  });

  it('touches process.exitCode in main.ts alone', () => {
    const setters = files.filter((file) =>
      /process\.exit(Code\s*=|\()/.test(readFileSync(path.join(src, file), 'utf8')),
    );
    expect(setters.filter((file) => file !== 'main.ts' && !file.startsWith('engine/'))).toEqual([]);
  });

  it('has no folder that could hold anything', () => {
    expect(files.filter((file) => /(^|\/)(utils?|common|helpers|misc)(\/|\.ts$)/.test(file))).toEqual([]);
  });
});

/** Exported functions of a file, each with the doc comment right before it, '' for none. */
function documentedFunctions(file: string): { file: string; name: string; doc: string }[] {
  const text = readFileSync(path.join(src, file), 'utf8');
  const pattern = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export (?:async )?function (\w+)/g;
  return [...text.matchAll(pattern)].map(([, doc = '', name]) => ({ file, name: name!, doc }));
}

describe('the test tree', () => {
  it('mirrors the source tree', () => {
    const testRoot = path.resolve(import.meta.dirname);
    const tests = (readdirSync(testRoot, { recursive: true }) as string[])
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.test.ts') && file.includes('/'));
    const folders = new Set(files.map((file) => path.posix.dirname(file)));
    expect(tests.filter((file) => !folders.has(path.posix.dirname(file)) && !file.startsWith('models/'))).toEqual([]);
  });
});
