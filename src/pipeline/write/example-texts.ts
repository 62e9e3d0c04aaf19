import { parseTemplate } from '../../datasets/prompts/prompt-template.js';
import { shorten } from '../../report/text/plain-text.js';
import type { Examples, TellingExample } from '../../results/examples-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import { type PickedExample, weightedRun } from '../diagnostics/telling-examples.js';
import type { WorkspaceDataset } from '../workspace/workspace.js';

/** Characters of a field or option in examples.json. */
const TEXT_LIMIT = 800;

/** Picked examples of one data set with the ids of its examples. */
export interface DatasetPicks {
  readonly dataset: WorkspaceDataset;
  readonly ids: readonly string[];
  readonly picks: readonly PickedExample[];
}

/** The document of examples.json: picks with the texts that the prompt of their data set shows. */
export function buildExamples(seed: number, runs: readonly RunResult[], all: readonly DatasetPicks[]): Examples {
  const weighted = weightedRun(runs);
  return {
    schemaVersion: 1,
    seed,
    weights: weighted && { method: weighted.method, combinationSize: weighted.combinationSize },
    textLimit: TEXT_LIMIT,
    examples: all.flatMap(({ dataset, ids, picks }) => {
      const textOf = texts(dataset);
      return picks.map(({ example, ...pick }) => ({
        dataset: dataset.spec.id,
        id: ids[example]!,
        ...pick,
        ...textOf(example),
      }));
    }),
  };
}

/** Fields of a row that the prompt of its data set shows, in their order. */
export function shownFields({ yaml }: WorkspaceDataset['spec']): readonly string[] {
  const template = parseTemplate(yaml.prompt?.template ?? '');
  return 'fault' in template ? [] : template.fields.filter((field) => field !== 'options');
}

function texts({ spec, content }: WorkspaceDataset): (example: number) => Pick<TellingExample, 'text' | 'options'> {
  const shown = shownFields(spec);
  return (number) => {
    const example = content?.dataset.examples[number];
    if (example === undefined) return { text: [], options: null };
    return {
      text: shown
        .filter((field) => Object.hasOwn(example.fields, field))
        .map((field) => ({ field, value: shorten(example.fields[field]!, TEXT_LIMIT) })),
      options: example.options.map((option) => shorten(option, TEXT_LIMIT)),
    };
  };
}
