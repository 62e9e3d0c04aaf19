import { ANSWER_METHODS } from '../../calibration/methods.js';
import type { ModelSpec } from '../../config/models-schema.js';
import { planOn, type SuitePlan } from '../../config/plan-suite.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ElicitationKind } from '../asking/elicitation-forms.js';
import { type Asked, askedOf } from '../workspace/load-workspace.js';
import type { PromptKind, Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import type { DoctorModel } from './doctor-model.js';

export interface DatasetEstimate {
  readonly dataset: string;
  readonly state: 'here' | 'missing' | 'imported';
  readonly rows: number | null;
  /** Of one prompt, on average. */
  readonly promptTokens: number | null;
  /** Of the longest prompt; null: not stated. */
  readonly longestTokens: number | null;
  readonly options: number | null;
}

/** What a model has to do for a suite when nothing is cached. */
export interface Work {
  /** Of prompts. What several prompts of an example begin with is evaluated once; a few-shot block is counted every time. */
  readonly evaluatedTokens: number;
  /** Of replies. */
  readonly generatedTokens: number;
  /** Of the longest prompt with the room for its reply: what one sequence must hold. */
  readonly longest: number;
  /** Rows of the cache, and those among them that are replies. */
  readonly rows: number;
  readonly replies: number;
  /** Whether all prompts were tokenised. */
  readonly counted: boolean;
}

/** Characters of a token in English prompts, about. */
export const TOKEN_CHARACTERS = 4;
/** What the default request for a reply adds to a prompt: 26 to 35 tokens with the vocabularies of Llama 3, Qwen 2 and Llama 2. */
const REQUEST_TOKENS = 30;
/** A reply held to the grammar: 9 to 14 tokens with the same vocabularies. */
const JSON_REPLY_TOKENS = 13;
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
  for (const [d, dataset] of datasets.entries()) {
    if (!workspace.plan.needs(dataset.dataset, model.id) || dataset.state === 'imported') continue;
    const here = workspace.datasets[d]!;
    const parts =
      here.content === null
        ? fromSize(planOn(workspace.plan, dataset.dataset), dataset, model)
        : fromPrompts(workspace, here, model, asked);
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
  return askedOf(workspace, dataset, model).map(({ kind, evaluated: prompts }: Asked) => {
    const { samples = 1, tokens = 0 } = repliesOf(workspace.plan, kind) ?? {};
    // The samples of an example stand beside each other and share their prompt.
    const examples = prompts.filter((_, n) => n % samples === 0);
    const counted = known.find((each) => each.dataset === dataset.spec.id && each.kind === kind);
    return {
      evaluatedTokens: counted?.tokens ?? examples.reduce((sum, prompt) => sum + tokensOf(prompt), 0),
      generatedTokens: prompts.length * tokens,
      longest:
        counted?.longest ?? tokens + examples.reduce((most, prompt) => Math.max(most, textTokens(prompt.text)), 0),
      ...{ rows: prompts.length, replies: tokens > 0 ? prompts.length : 0, counted: counted !== undefined },
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

/** By the sizes that the data set states. Each further order costs a whole prompt: how much of it is shared is not known. */
function fromSize(plan: SuitePlan, size: DatasetEstimate, model: ModelSpec): Work[] | null {
  const { dataset, rows, promptTokens, options } = size;
  if (rows === null || promptTokens === null) return null;
  const longest = size.longestTokens ?? LONGEST_SHARE * promptTokens;
  const plain = { evaluatedTokens: rows * promptTokens, generatedTokens: 0, longest, rows, replies: 0, counted: false };
  if (!plan.targetsOf(dataset).some(({ target }) => target.id === model.id)) return [plain];
  return [
    plain,
    ...[...neededKinds(plan)].map((kind): Work => {
      if (kind === 'rotations') return { ...plain, evaluatedTokens: rows * promptTokens * ((options ?? 4) - 1) };
      const asked = promptTokens + REQUEST_TOKENS;
      const replies = repliesOf(plan, kind);
      if (replies === null) {
        const proposals = (options ?? 4) * REQUEST_TOKENS;
        return { ...plain, evaluatedTokens: rows * (promptTokens + proposals), longest: longest + REQUEST_TOKENS };
      }
      const { samples, tokens } = replies;
      return {
        ...{ evaluatedTokens: rows * asked, generatedTokens: rows * samples * tokens },
        longest: longest + REQUEST_TOKENS + tokens,
        ...{ rows: rows * samples, replies: rows * samples, counted: false },
      };
    }),
  ];
}

/** What targets are asked beside their plain prompts. */
function neededKinds({ methods }: Pick<SuitePlan, 'methods'>): Set<Exclude<PromptKind, 'plain'>> {
  const needs = ANSWER_METHODS.filter(({ name }) => methods.some((method) => method === name)).map(
    ({ needs }) => needs,
  );
  return new Set(needs.filter((kind) => kind !== 'own-base'));
}

/** Replies per example and their length; null: the kind asks for none. */
function repliesOf({ elicitation }: Pick<SuitePlan, 'elicitation'>, kind: PromptKind) {
  const generating: readonly ElicitationKind[] = ['elicitation', 'elicitation-ensemble'];
  if (!generating.some((each) => each === kind)) return null;
  const { samples, maxTokens, structured } = elicitation;
  const tokens = structured === 'grammar' ? Math.min(JSON_REPLY_TOKENS, maxTokens) : maxTokens;
  return { samples: kind === 'elicitation' ? 1 : samples, tokens };
}
