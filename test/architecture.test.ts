import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Rooms of `src`, from the ground up. Imports, types included, go to a lower floor only; rooms of one floor share
 * nothing.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['errors'],
  ['numeric', 'files'],
  ['arrow', 'calibration', 'metrics'],
  ['formats', 'inference'],
  ['core', 'hub'],
  ['config'],
  ['contract'],
  ['library'],
  ['cache', 'datasets', 'models', 'engine'],
  ['scoring', 'results'],
  ['queue', 'report'],
  ['pipeline'],
  ['serve'],
  ['cli', 'index'],
  ['main'],
];

/** Folders inside a room, from the ground up; '' stands for the files that lie in the room itself. */
const INNER_FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  numeric: [['random'], [''], ['kernels']],
  calibration: [['references', 'fit', 'answers'], [''], ['curves']],
  metrics: [['bins'], ['bootstrap'], ['']],
  config: [['yaml'], ['']],
  cache: [['lock', 'table', 'key'], ['parts'], ['']],
  formats: [['row'], ['text'], ['json'], ['csv', 'binary'], ['']],
  datasets: [
    ...[['example'], ['source'], ['fields'], ['options'], ['rows'], ['labels'], ['prompts']],
    ...[['logits', 'replies', 'propose'], ['']],
  ],
  models: [['gguf'], ['']],
  engine: [['protocol', 'library'], ['frame'], ['encode'], ['llama'], ['rows'], ['inspect', 'trial'], ['']],
  scoring: [['process', 'endpoint'], ['device'], ['memory', 'setup'], ['run'], ['', 'tune'], ['source']],
  queue: [['wire'], ['server'], ['']],
  inference: [['drift', 'missing', 'law'], ['interval'], [''], ['selective']],
  results: [['examples'], [''], ['published', 'verdict']],
  report: [
    ...[
      ['text'],
      ['outcome'],
      ['table', 'figure'],
      ['console', 'statistics'],
      ['markdown'],
      ['compare', 'html'],
      ['runs'],
      [''],
    ],
  ],
  pipeline: [
    ...[
      ['join'],
      ['asking'],
      ['workspace'],
      ['score'],
      ['disk', 'setup'],
      ['collect', 'estimate'],
      ['bootstrap', 'diagnostics'],
    ],
    ...[['calibrate'], ['write'], ['artefact'], ['monitor'], ['predict', 'starter'], ['']],
  ],
  cli: [['terminal'], ['describe', 'flags'], ['commands'], ['']],
};

/** Files that a folder may hold before it needs rooms of its own. */
const MOST_FILES = 20;

/** Third-party package -> the one folder or file that may import it. */
const DOORS: Record<string, string[]> = {
  'node-llama-cpp': ['engine/llama/', 'engine/library/'],
  '@huggingface/jinja': ['engine/frame/'],
  'p-queue': ['scoring/run/', 'scoring/endpoint/'],
  undici: ['scoring/endpoint/'],
  yaml: ['config/yaml/', 'config/'],
  'fastest-levenshtein': ['errors/'],
  zod: [
    'cli/terminal/',
    'config/',
    'results/',
    'pipeline/artefact/',
    'pipeline/monitor/',
    'scoring/endpoint/',
    'queue/wire/',
  ],
  'apache-arrow': ['arrow/'],
  '@uwdata/flechette': ['arrow/'],
  winston: ['cli/'],
  commander: ['cli/'],
  'cli-progress': ['cli/'],
  'csv-parse': ['formats/csv/'],
  entities: ['datasets/'],
  tinyglobby: ['datasets/source/'],
  yauzl: ['formats/binary/'],
  hyparquet: ['formats/binary/'],
  'hyparquet-compressors': ['formats/binary/'],
  'proper-lockfile': ['cache/lock/'],
  'pure-rand': ['numeric/random/'],
  'd3-scale': ['report/figure/'],
  'd3-shape': ['report/figure/'],
  'cli-table3': ['report/console/'],
  picocolors: ['report/'],
  fastify: ['serve/'],
  '@fastify/swagger': ['serve/'],
  'prom-client': ['serve/'],
  bullmq: ['queue/server/'],
  ioredis: ['queue/server/'],
};

const PURE = ['numeric/', 'calibration/', 'metrics/', 'inference/'];

/** An equation, figure, section or appendix of the paper, or a publication with its year. */
const CITATION = /\b(Eq\.|Prop\.|Proposition|Fig\.|Sec\.|App\.)|\b1[89]\d\d\b|\b20[0-2]\d\b|bench\/study/;

/** Exported functions of the mathematics that hold, move, order or check numbers and compute nothing. */
const NO_EQUATION = new Set([
  ...['gatherExamples', 'longestRow', 'zeroSignal', 'floorOfShare', 'isUsableLogit', 'areUsableLogits', 'mean'],
  ...['sampleStandardDeviation', 'raggedRows', 'rowOf', 'takeRows', 'sameShape', 'sharedRows', 'sharedArray'],
  ...['withSharedArrays', 'zerosBeside'],
  ...[
    'weightingMethod',
    'asked',
    'rowLength',
    'smallestBy',
    'sortConfidences',
    'stringOrder',
    'compareStrings',
    'inBlocks',
    'rowKernels',
    'walkRows',
  ],
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

interface Place {
  readonly room: string;
  /** Folder inside the room, '' for the room itself. */
  readonly inner: string;
}

function placeOf(file: string): Place {
  const [room = '', ...rest] = file.replace(/\.ts$/, '').split('/');
  return { room, inner: rest.length > 1 ? (rest[0] ?? '') : '' };
}

const floorOf = (floors: readonly (readonly string[])[], name: string) =>
  floors.findIndex((each) => each.includes(name));

/** Imports between our own files, each with the file that it names. */
const ownImports = imports
  .filter(({ to }) => to.startsWith('.'))
  .map(({ from, to, typeOnly }) => {
    const target = path.posix.normalize(path.posix.join(path.posix.dirname(from), to)).replace(/\.js$/, '.ts');
    return { from, target, typeOnly };
  });

function goesDown({ from, target }: { from: string; target: string }): boolean {
  const [upper, lower] = [placeOf(from), placeOf(target)];
  if (upper.room !== lower.room) return floorOf(FLOORS, upper.room) > floorOf(FLOORS, lower.room);
  if (upper.inner === lower.inner) return true;
  const floors = INNER_FLOORS[upper.room] ?? [];
  return floorOf(floors, upper.inner) > floorOf(floors, lower.inner);
}

/** Files that reach themselves by the given imports. */
function circles(edges: readonly { from: string; target: string }[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, target } of edges) next.set(from, [...(next.get(from) ?? []), target]);
  return files.filter((file) => {
    const seen = new Set<string>();
    const waiting = [...(next.get(file) ?? [])];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (at === file) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      waiting.push(...(next.get(at) ?? []));
    }
    return false;
  });
}

describe('the folder tree', () => {
  it('gives every folder of sources a floor', () => {
    expect(files.length).toBeGreaterThan(20);
    const homeless = files.filter((file) => {
      const { room, inner } = placeOf(file);
      const floors = INNER_FLOORS[room];
      return floorOf(FLOORS, room) === -1 || (floors === undefined ? inner !== '' : floorOf(floors, inner) === -1);
    });
    expect(homeless).toEqual([]);
  });

  it('imports downwards only, types included', () => {
    expect(ownImports.length).toBeGreaterThan(1000);
    expect(ownImports.filter((each) => !goesDown(each)).map(({ from, target }) => `${from} imports ${target}`)).toEqual(
      [],
    );
  });

  it('has stages that import no stage: what they share lies in the rooms below', () => {
    const isStage = (file: string) => path.posix.dirname(file) === 'pipeline';
    const breaches = ownImports.filter(({ from, target }) => isStage(from) && isStage(target));
    expect(files.filter(isStage).length).toBeGreaterThan(10);
    expect(breaches.map(({ from, target }) => `${from} imports ${target}`)).toEqual([]);
  });

  it('keeps the engine behind scoring: nothing above imports what runs in the child process', () => {
    const above = ownImports.filter(
      ({ from, target }) => placeOf(target).room === 'engine' && !['engine', 'scoring'].includes(placeOf(from).room),
    );
    expect(above).toEqual([]);
  });

  it('has no circle of imports, types included', () => {
    expect(circles(ownImports)).toEqual([]);
  });

  it(`keeps at most ${MOST_FILES} files in a folder`, () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(path.posix.dirname(file), (counts.get(path.posix.dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
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

  it('keeps the core free of packages and of all that a browser lacks', () => {
    const reached = new Set(['core.ts']);
    for (const file of reached) for (const { from, target } of ownImports) if (from === file) reached.add(target);
    expect(reached.size).toBeGreaterThan(30);
    expect(imports.filter(({ from, to }) => reached.has(from) && !to.startsWith('.'))).toEqual([]);
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

describe('comments and lines', () => {
  const root = path.resolve(import.meta.dirname, '..');
  const all = ['src', 'test', 'bench', 'scripts', 'schemas'].flatMap((folder) =>
    (readdirSync(path.join(root, folder), { recursive: true }) as string[])
      .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
      .filter((file) => /\.m?ts$|\.mjs$/.test(file) && !file.includes('node_modules'))
      .flatMap((file) =>
        readFileSync(path.join(root, file), 'utf8')
          .split('\n')
          .map((text, n) => ({ text, place: `${file}:${n + 1}` })),
      ),
  );
  const lines = all.filter(({ text }) => /^\s*(\/\*|\*|\/\/)/.test(text));

  it('spread no literal into a literal', () => {
    expect(all.filter(({ text }) => /\.{3}\{/.test(text)).map(({ place }) => place)).toEqual([]);
  });

  it('are wrapped at 120 columns', () => {
    expect(lines.length).toBeGreaterThan(1000);
    expect(lines.filter(({ text }) => text.length > 120).map(({ place }) => place)).toEqual([]);
  });

  it('begin as sentences that name their subject, not with "Of ..." or "The same ..."', () => {
    const fragments = lines.filter(({ text }) => /^\s*(\/\*\*?|\/\/)\s+(Of|The same)\b/.test(text));
    const below = lines.filter(
      ({ text }, n) => /^\s*\*\s+(Of|The same)\b/.test(text) && /^\s*\/\*\*?$/.test(lines[n - 1]?.text ?? ''),
    );
    expect([...fragments, ...below].map(({ place }) => place)).toEqual([]);
  });
});
