import type { ModelSpec } from '../../config/models-schema.js';
import { isGgufModel } from '../../config/source-kind.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { EstimatedWork } from '../asking/estimated-work.js';
import { asksModel } from '../asking/render-ways.js';
import { askedOf } from '../workspace/load-workspace.js';
import type { Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import type { DoctorModel } from './doctor-model.js';
import { tokenDensity } from './token-density.js';

export interface DatasetEstimate {
  readonly dataset: string;
  readonly state: 'here' | 'missing' | 'imported';
  readonly rows: number | null;
  /** Length of a plain prompt on average. */
  readonly promptTokens: number | null;
  /** Length of the longest plain prompt; null: not stated. */
  readonly longestTokens: number | null;
  readonly options: number | null;
}

/**
 * What a model has to do for a suite when nothing is cached. What several prompts of an example begin with is evaluated
 * once; a few-shot block is counted every time.
 */
export interface Work extends EstimatedWork {
  /** Rows that it is asked for itself: those of a twin, the same file under another id, are copied. */
  readonly asked: number;
  /** Whether all prompts were tokenised. */
  readonly counted: boolean;
}

/** Options per example, where the data set does not say. */
const OPTIONS = 4;
/** Longest prompt over the mean one, where the data set does not say. */
const LONGEST_SHARE = 5;

/** What is known before the work of a model is summed up. */
export interface WorkFacts {
  /** What its own vocabulary makes of the prompts; the others are estimated. */
  readonly counted: DoctorModel['asked'];
  /** Tokens of its vocabulary; absent: not known. */
  readonly vocabulary: number | undefined;
  /** What files were asked before, under other ids; what is asked now is added. */
  readonly asked: Set<string>;
}

/** Sums up what `model` is asked on all data sets of the suite; null when some data set has no known size. */
export function estimateWork(
  workspace: Workspace,
  datasets: readonly DatasetEstimate[],
  model: ModelSpec,
  facts: WorkFacts,
): Work | null {
  let work: Work = { evaluatedTokens: 0, generatedTokens: 0, longest: 0, rows: 0, asked: 0, replies: 0, counted: true };
  for (const [d, here] of workspace.datasets.entries()) {
    const dataset = datasets[d];
    if (dataset === undefined) continue;
    if (!workspace.suite.needs(dataset.dataset, model.id) || dataset.state === 'imported') continue;
    const parts =
      here.content === null ? fromSize(workspace, dataset, model) : fromPrompts(workspace, here, model, facts);
    if (parts === null) return null;
    for (const { way, ...part } of parts) {
      const what = JSON.stringify([askedAs(model), dataset.dataset, way]);
      const isTwin = isGgufModel(model) && facts.asked.has(what);
      facts.asked.add(what);
      work = add(work, isTwin ? { ...part, evaluatedTokens: 0, generatedTokens: 0, asked: 0 } : part);
    }
  }
  return work;
}

/** All of a model that its rows depend on: ids of one file that are asked the same get the same rows. */
function askedAs({ file, lora, prompt, assistantPrefix, scoring }: ModelSpec): unknown {
  return { file, lora, prompt, assistantPrefix, scoring };
}

/** What a model is asked in one way. */
type WorkPart = Work & { readonly way: string };

function add(a: Work, b: Work): Work {
  return {
    evaluatedTokens: a.evaluatedTokens + b.evaluatedTokens,
    generatedTokens: a.generatedTokens + b.generatedTokens,
    longest: Math.max(a.longest, b.longest),
    rows: a.rows + b.rows,
    asked: a.asked + b.asked,
    replies: a.replies + b.replies,
    counted: a.counted && b.counted,
  };
}

function fromPrompts(
  workspace: Workspace,
  dataset: WorkspaceDataset,
  model: ModelSpec,
  { counted: known, vocabulary }: WorkFacts,
): WorkPart[] {
  const texts = (dataset.content?.prompts ?? []).map(({ text }) => text);
  const density = tokenDensity(texts, vocabulary);
  return askedOf(workspace, dataset, model).map(({ way, evaluated: prompts }) => {
    const { samples = 1, tokens = 0 } = way.replies(workspace.suite.elicitation) ?? {};
    // The samples of an example stand beside each other and share their prompt.
    const examples = prompts.filter((_, n) => n % samples === 0);
    const longest = examples.reduce((most, { text }) => Math.max(most, text.length), 0);
    const counted = known.find((each) => each.dataset === dataset.spec.id && each.kind === way.name);
    const characters = examples.reduce((sum, prompt) => sum + charactersOf(prompt), 0);
    return {
      way: way.name,
      evaluatedTokens: counted?.tokens ?? Math.ceil(density * characters),
      generatedTokens: prompts.length * tokens,
      longest: counted?.longest ?? tokens + Math.ceil(density * longest),
      rows: prompts.length,
      asked: prompts.length,
      replies: tokens > 0 ? prompts.length : 0,
      counted: counted !== undefined,
    };
  });
}

/** Every order of the options that is evaluated costs what stands after the beginning that all have. */
function charactersOf({ text, mode, rotations, continuations }: ExamplePrompt): number {
  const lengths = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);
  if (mode === 'text') return text.length + lengths(continuations);
  if (rotations === undefined) return text.length;
  const all = rotations.map((rotation) => rotation.text);
  return lengths(all) - commonLength(all) * Math.max(0, all.length - 1);
}

function commonLength([first = '', ...others]: readonly string[]): number {
  let length = 0;
  while (length < first.length && others.every((text) => text[length] === first[length])) length++;
  return length;
}

/** Estimates by the sizes that the data set states; null: it states too little. */
function fromSize({ suite, ways }: Workspace, size: DatasetEstimate, model: ModelSpec): WorkPart[] | null {
  const { dataset, rows, promptTokens, options } = size;
  if (rows === null || promptTokens === null) return null;
  const longest = size.longestTokens ?? LONGEST_SHARE * promptTokens;
  const stated = { rows, promptTokens, longest, options: options ?? OPTIONS };
  const asked = ways.filter((way) => asksModel(way, suite, dataset, model));
  return asked.map((way) => ({
    way: way.name,
    ...way.estimate(stated, suite.elicitation),
    asked: rows,
    counted: false,
  }));
}
