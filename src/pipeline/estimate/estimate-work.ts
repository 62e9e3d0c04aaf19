import type { ModelSpec } from '../../config/models-schema.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { EstimatedWork } from '../asking/estimated-work.js';
import { asksModel } from '../asking/render-ways.js';
import { askedOf } from '../workspace/load-workspace.js';
import type { Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import type { DoctorModel } from './doctor-model.js';

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
  /** Whether all prompts were tokenised. */
  readonly counted: boolean;
}

/** Characters of a token in English prompts, about. */
export const TOKEN_CHARACTERS = 4;
/** Options per example, where the data set does not say. */
const OPTIONS = 4;
/** Longest prompt over the mean one, where the data set does not say. */
const LONGEST_SHARE = 5;

/**
 * Sums up what `model` is asked on all data sets of the suite; null when some data set has no known size.
 *
 * @param asked what its own vocabulary makes of the prompts; the others are estimated
 */
export function estimateWork(
  workspace: Workspace,
  datasets: readonly DatasetEstimate[],
  model: ModelSpec,
  asked: DoctorModel['asked'] = [],
): Work | null {
  let work: Work = { evaluatedTokens: 0, generatedTokens: 0, longest: 0, rows: 0, replies: 0, counted: true };
  for (const [d, here] of workspace.datasets.entries()) {
    const dataset = datasets[d];
    if (dataset === undefined) continue;
    if (!workspace.suite.needs(dataset.dataset, model.id) || dataset.state === 'imported') continue;
    const parts =
      here.content === null ? fromSize(workspace, dataset, model) : fromPrompts(workspace, here, model, asked);
    if (parts === null) return null;
    for (const part of parts) work = add(work, part);
  }
  return work;
}

function add(a: Work, b: Work): Work {
  return {
    evaluatedTokens: a.evaluatedTokens + b.evaluatedTokens,
    generatedTokens: a.generatedTokens + b.generatedTokens,
    longest: Math.max(a.longest, b.longest),
    rows: a.rows + b.rows,
    replies: a.replies + b.replies,
    counted: a.counted && b.counted,
  };
}

function fromPrompts(
  workspace: Workspace,
  dataset: WorkspaceDataset,
  model: ModelSpec,
  known: DoctorModel['asked'],
): Work[] {
  return askedOf(workspace, dataset, model).map(({ way, evaluated: prompts }) => {
    const { samples = 1, tokens = 0 } = way.replies(workspace.suite.elicitation) ?? {};
    // The samples of an example stand beside each other and share their prompt.
    const examples = prompts.filter((_, n) => n % samples === 0);
    const longest = examples.reduce((most, prompt) => Math.max(most, textTokens(prompt.text)), 0);
    const counted = known.find((each) => each.dataset === dataset.spec.id && each.kind === way.name);
    return {
      evaluatedTokens: counted?.tokens ?? examples.reduce((sum, prompt) => sum + tokensOf(prompt), 0),
      generatedTokens: prompts.length * tokens,
      longest: counted?.longest ?? tokens + longest,
      rows: prompts.length,
      replies: tokens > 0 ? prompts.length : 0,
      counted: counted !== undefined,
    };
  });
}

function textTokens(text: string): number {
  return Math.ceil(text.length / TOKEN_CHARACTERS);
}

/** Every order of the options that is evaluated costs what stands after the beginning that all have. */
function tokensOf({ text, mode, rotations, continuations }: ExamplePrompt): number {
  if (mode === 'text') return textTokens([text, ...continuations].join(''));
  if (rotations === undefined) return textTokens(text);
  const shared = commonLength(rotations.map((rotation) => rotation.text));
  return textTokens(rotations.map((each, n) => (n === 0 ? each.text : each.text.slice(shared))).join(''));
}

function commonLength([first = '', ...others]: readonly string[]): number {
  let length = 0;
  while (length < first.length && others.every((text) => text[length] === first[length])) length++;
  return length;
}

/** Estimates by the sizes that the data set states; null: it states too little. */
function fromSize({ suite, ways }: Workspace, size: DatasetEstimate, model: ModelSpec): Work[] | null {
  const { dataset, rows, promptTokens, options } = size;
  if (rows === null || promptTokens === null) return null;
  const longest = size.longestTokens ?? LONGEST_SHARE * promptTokens;
  const stated = { rows, promptTokens, longest, options: options ?? OPTIONS };
  const asked = ways.filter((way) => asksModel(way, suite, dataset, model));
  return asked.map((way) => ({ ...way.estimate(stated, suite.elicitation), counted: false }));
}
