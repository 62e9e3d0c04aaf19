import type { ScoreTable } from '../../cache/table/score-table.js';
import type { AnswerInputs } from '../../calibration/answers/answer-method.js';
import type { ScoringYaml } from '../../config/dataset-schema.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelRow } from '../../contract/scored-row.js';
import type { ModelFacts } from '../../contract/scorer.js';
import type { DatasetSpec } from '../../datasets/example/dataset-spec.js';
import type { Dataset, Example } from '../../datasets/example/example.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import type { ReadyEntry } from '../join/planned-entry.js';
import type { EstimatedWork, StatedSize } from './estimated-work.js';
import type { PromptForms } from './prompt-forms.js';

/**
 * One way of asking a model about the examples of a data set: everything that the pipeline has to know of it. A new way
 * is one such record in a file of its own and one line in `WAYS_OF_ASKING`.
 */
export interface WayOfAsking {
  /** Name in cache keys, entry names and manifests, so it never changes; `needs` of the answer methods that use it. */
  readonly name: string;
  /** Whether every model of the suite is asked in this way, or only targets, and only where a method needs it. */
  readonly asks: 'every-model' | 'targets';
  /** Those of the given methods that need a target to be asked in this way. */
  methodsNeeding(methods: readonly string[]): readonly string[];
  /** Makes the prompts of a data set. */
  render(input: RenderInput): RenderedWay;
  /** What stands as `scoringMode` in the cache key: everything beside the prompts that can change a row. */
  scoringMode(scoring: ScoringYaml | undefined, prompts: readonly ExamplePrompt[]): string;
  /** Whether `supportcal import` can bring scores of this way. */
  readonly importable: boolean;
  /** Why a model whose plain scores were imported has no scores of this way. */
  readonly missingBesideImport: string;
  /** Facts that a filled entry has beside those of its model. */
  readonly facts: Pick<ModelFacts, 'firstOrder'>;
  /**
   * What is made of scored rows before the cache keeps them.
   *
   * @param plainScores the plain scores of the same model on the same data set, which are scored before these rows
   */
  finishRows(prompts: readonly ExamplePrompt[], plainScores: () => Promise<ScoreTable>): FinishRows;
  /** What the model writes for each example; null: it writes nothing. */
  replies(settings: SuitePlan['elicitation']): ExpectedReplies | null;
  /** What asking a model costs where only the size of the data set is known. */
  estimate(size: StatedSize, settings: SuitePlan['elicitation']): EstimatedWork;
  /** How scores reach the answer methods; null for plain scores, which are joined for all models together. */
  readonly answers: AnswerScores | null;
  /** The part of diagnostics.json and of the report that is about this way; ways can share one. */
  readonly section: DiagnosticsSection | null;
}

export type FinishRows = (rows: readonly ModelRow[]) => Promise<readonly ModelRow[]>;

export interface RenderInput {
  readonly dataset: Dataset;
  readonly spec: DatasetSpec;
  /** The plain prompts of the data set. */
  readonly forms: PromptForms;
  /** The suite as it is on this data set. */
  readonly suite: Pick<SuitePlan, 'methods' | 'targetsOf' | 'elicitation'>;
}

/** What one way of asking makes of a data set. */
export interface RenderedWay {
  /** What a model is asked; null: nothing, since the data set cannot be asked like this. */
  promptsOf(model: ModelSpec): AskedPrompts | null;
  /** Why some models are asked nothing, one line a reason. */
  readonly refusals: readonly string[];
}

/** What one model is asked on one data set. */
export interface AskedPrompts {
  /** All prompts, one for each row of the cache entry. */
  readonly prompts: readonly ExamplePrompt[];
  /** Those of the prompts that the model has to evaluate. */
  readonly evaluated: readonly ExamplePrompt[];
}

/** Replies per example, with their length in tokens and the temperature that they are sampled at. */
export interface ExpectedReplies {
  readonly samples: number;
  readonly tokens: number;
  readonly temperature: number;
}

/** How the scores of targets reach the answer methods. */
export interface AnswerScores {
  /** How messages call them. */
  readonly label: string;
  /** What is missing where the cache has no entry. */
  readonly noun: 'scores' | 'replies';
  /** Joins an entry to the examples with the given ids. */
  join(ids: readonly string[], entry: ReadyEntry): JoinedScores & { readonly missing: readonly MissingRow[] };
  /** What answer methods get of the examples of one aligned target. */
  inputs(joined: JoinedScores, rows: AlignedRows): Partial<AskedInputs>;
}

/** The scores of one target, joined to the examples of a data set. */
export interface JoinedScores {
  readonly table: ScoreTable;
  readonly facts: Partial<ModelFacts>;
  /**
   * Example index -> row of the table. An example without a row (-1) counts for no method at all. null: rows are found
   * by their ids, and an example without one stays with every other method.
   */
  readonly rowOfExample: Int32Array | null;
}

export interface MissingRow {
  readonly example: string;
  readonly reason: string;
}

export type AskedInputs = Omit<AnswerInputs, 'targetLogits' | 'ownBaseLogits' | 'aggregator'>;

/** The rows of one aligned target with the ids of all examples of the data set. */
export interface AlignedRows extends Pick<AlignedTarget, 'rowOfExample' | 'targetLogits'> {
  readonly ids: readonly string[];
}

/** The scores of one way by target. */
export interface WayScores {
  readonly way: WayOfAsking;
  readonly targets: ReadonlyMap<string, JoinedScores>;
}

/** One data set with everything that its targets were asked. */
export interface AskedDataset {
  readonly spec: DatasetSpec;
  readonly examples: readonly Example[];
  /** The plain scores. */
  readonly scores: DatasetScores;
  readonly asked: readonly WayScores[];
}

/** A part of diagnostics.json that is about ways of asking. */
export interface DiagnosticsSection {
  /** The lists of the part; none where no target was asked. */
  build(datasets: readonly AskedDataset[], suite: Pick<SuitePlan, 'models' | 'elicitation'>): Partial<Diagnostics>;
  /** What the lists give reason to warn of. */
  warnings(diagnostics: Partial<Diagnostics>): string[];
}
