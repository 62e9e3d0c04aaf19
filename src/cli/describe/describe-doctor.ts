import type { LabelToken } from '../../contract/inspection.js';
import { SETUP_COMMANDS } from '../../library/chosen-build.js';
import type { BuildState } from '../../library/library-build.js';
import type { DoctorReport } from '../../pipeline/doctor.js';
import type { DoctorModel } from '../../pipeline/estimate/doctor-model.js';
import { textTable } from '../terminal/text-table.js';
import { chosenProducts } from './chosen-products.js';
import { describeDisk } from './describe-disk.js';
import { describeEstimate } from './describe-estimate.js';
import { describeTuned } from './describe-tuned.js';

/** The report as tables for reading; every line may hold text of files and is made printable by the caller. */
export function describeDoctor(report: DoctorReport): string[] {
  const { versions, memory, backend, models, problems } = report;
  const present = models.flatMap(inspected);
  return [
    `supportcal ${versions.supportcal}, node ${versions.node}, node-llama-cpp ${versions.nodeLlamaCpp}, llama.cpp ${versions.llamaCppRelease}, ${versions.platform}`,
    `${report.cores} cores, RAM ${mebibytes(memory.ram.free)} free of ${mebibytes(memory.ram.total)}` +
      (memory.gpu === null ? '' : `, GPU ${mebibytes(memory.gpu.free)} free of ${mebibytes(memory.gpu.total)}`),
    '',
    `backend: ${backend.chosen ?? 'none'} (--gpu ${backend.asked}; ${backend.reason})`,
    ...backend.tried.map(
      ({ backend: name, result }) => `  ${name}  ${result.ok ? `works: ${result.device}` : `no: ${result.reason}`}`,
    ),
    ...libraryLines(report),
    ...cardLines(report),
    ...(present.length === 0 ? [] : ['', ...memoryTable(present), '', ...tokenTable(present)]),
    ...models.flatMap((model) => (model.file === null ? [`${model.model}: imported scores`] : [])),
    ...describeTuned(report),
    ...(report.estimate === null ? [] : ['', ...describeEstimate(report.estimate)]),
    ...(report.disk === null ? [] : ['', ...describeDisk(report.disk)]),
    '',
    ...(report.advice.length === 0 ? [] : ['faster', ...report.advice.map((line) => `  ${line}`), '']),
    ...(problems.length === 0 ? ['no problems found'] : ['problems', ...problems.map((problem) => `  ${problem}`)]),
  ];
}

/** Which binary runs on CUDA and on the CPU take; nothing where none was built and no card would need it. */
function libraryLines({ library, backend }: Pick<DoctorReport, 'library' | 'backend'>): string[] {
  const states = [library.build, library.cpu.build];
  if (states.some(({ kind }) => kind === 'refused'))
    return ['  llama.cpp as it came with the package (SUPPORTCAL_BUILD=prebuilt)'];
  const shipped = library.build.kind === 'none' && backend.chosen === 'cuda';
  return [
    ...(shipped ? ['  llama.cpp as it came with the package'] : []),
    ...buildLines(library.build, SETUP_COMMANDS.cuda),
    ...buildLines(library.cpu.build, SETUP_COMMANDS.cpu),
  ];
}

function buildLines(state: BuildState, command: string): string[] {
  if (!('build' in state)) return [];
  const { cmake, compiler, card, builtAt, reader } = state.build;
  const chosen = chosenProducts(state.build);
  const options = Object.entries(cmake).map(([name, value]) => `${name}=${value}`);
  const own = [
    ...(reader === undefined ? [] : ['a reader of logits of our own']),
    ...(chosen === null ? [] : [`llama.cpp's own kernels for ${chosen}`]),
  ];
  const built = `llama.cpp built on ${builtAt.slice(0, 10)} for ${card} (${[...options, compiler, ...own].join(', ')})`;
  const again = `run \`supportcal ${command}\` again; until then the prebuilt binary is used`;
  const after: Readonly<Record<typeof state.kind, string>> = {
    used: '',
    gone: ` is gone, as after \`npm ci\`: ${again}`,
    outdated: ` is of another release: ${again}`,
    foreign: ` is of another processor than this one: ${again}`,
  };
  return [`  ${built}${after[state.kind]}`];
}

/** Each card with its memory, and which of them each model gets; nothing where there is one. */
function cardLines({ cards, places }: Pick<DoctorReport, 'cards' | 'places'>): string[] {
  if (cards.length < 2) return [];
  const alike = new Set(cards.map(({ name }) => name)).size === 1;
  return [
    '',
    `cards, a child process each (--devices takes some of them)${alike ? `: together about ${cards.length} x the speed of one` : ''}`,
    ...textTable(
      ['card', 'name', 'MiB free', 'of'],
      cards.map(({ index, name, memory }) => [
        String(index),
        name,
        ...(memory === null ? ['?', '?'] : [inMebibytes(memory.free), inMebibytes(memory.total)]),
      ]),
    ),
    '',
    ...textTable(
      ['model', 'cards at a time', 'runs on'],
      places.map(({ model, cards: count, of }) => [
        model,
        count === null ? 'fits on none' : String(count),
        of.map((numbers) => numbers.join(', ')).join(' or '),
      ]),
    ),
  ];
}

/** A model whose file is here and could be looked into. */
type LookedInto = { readonly [field in keyof DoctorModel]: NonNullable<DoctorModel[field]> };

function inspected({ file, bytes, facts, memory, ...model }: DoctorModel): LookedInto[] {
  if (file === null || bytes === null || facts === null || memory === null) return [];
  return [{ ...model, file, bytes, facts, memory }];
}

function memoryTable(models: readonly LookedInto[]): string[] {
  const header = ['model', 'MiB: file', 'weights', 'KV cache', 'compute', 'total', 'fits', 'context', 'sequences'];
  return textTable(
    header,
    models.map(({ model, bytes, memory, facts }) => [
      model,
      inMebibytes(bytes),
      inMebibytes(memory.weights),
      inMebibytes(memory.kvCache),
      inMebibytes(memory.compute),
      inMebibytes(memory.total),
      memory.fits ? 'yes' : 'NO',
      String(facts.contextSize),
      String(facts.sequences),
    ]),
  );
}

function inMebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

function tokenTable(models: readonly LookedInto[]): string[] {
  const header = ['model', 'vocabulary', 'start token', 'template', 'longest', '"A" scored', 'with space', 'without'];
  return textTable(
    header,
    models.map(({ model, prompt, facts }) => {
      const { bos, spacing, chatTemplate, vocabularyType, preTokenizer } = facts;
      return [
        model,
        preTokenizer === null ? vocabularyType : `${vocabularyType} ${preTokenizer}`,
        `${bos.add ? 'yes' : 'no'}: ${bos.reason}`,
        `${chatTemplate === null ? 'none' : 'in the file'}, asked ${prompt}`,
        String(facts.longest),
        label(spacing.used),
        label(spacing.withSpace),
        label(spacing.withoutSpace),
      ];
    }),
  );
}

function label(token: LabelToken): string {
  return 'refused' in token ? 'refused' : `${token.id} ${JSON.stringify(token.piece)}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
