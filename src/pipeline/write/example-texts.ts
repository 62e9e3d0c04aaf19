import type { DatasetSpec } from '../../datasets/example/dataset-spec.js';
import { parseTemplate } from '../../datasets/prompts/prompt-template.js';
import { shorten } from '../../report/text/plain-text.js';
import type { Examples, ShownExample } from '../../results/examples/examples-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import type { AskedDataset } from '../asking/way-of-asking.js';
import type { CalibratedDataset } from '../calibrate/calibrate-suite.js';
import { weightedRun } from '../diagnostics/pick-examples.js';

/** Characters of a field or option in examples.json. */
const TEXT_LIMIT = 800;

/** The document of examples.json: picks with the texts that the prompt of their data set shows. */
export function buildExamples(
  seeds: readonly number[],
  runs: readonly RunResult[],
  datasets: readonly CalibratedDataset[],
): Examples {
  const weighted = weightedRun(runs);
  const [seed = Number.NaN] = seeds;
  return {
    schemaVersion: 1,
    seed,
    weights: weighted && { method: weighted.method, combinationSize: weighted.combinationSize },
    textLimit: TEXT_LIMIT,
    examples: datasets.flatMap(({ collected, calibration }) => {
      const { dataset, scores } = collected;
      const textOf = texts(collected);
      return calibration.examples.map(({ example, ...pick }) => ({
        dataset,
        id: scores.ids[example] ?? String(example),
        ...pick,
        ...textOf(example),
      }));
    }),
  };
}

/** Fields of a row that the prompt of its data set shows, in their order. */
export function shownFields({ yaml }: Pick<DatasetSpec, 'yaml'>): readonly string[] {
  const template = parseTemplate(yaml.prompt?.template ?? '');
  return 'fault' in template ? [] : template.fields.filter((field) => field !== 'options');
}

function texts({ spec, examples }: AskedDataset): (example: number) => Pick<ShownExample, 'text' | 'options'> {
  const shown = shownFields(spec);
  return (number) => {
    const example = examples[number];
    if (example === undefined) return { text: [], options: null };
    return {
      text: shown
        .filter((field) => Object.hasOwn(example.fields, field))
        .map((field) => ({ field, value: shorten(example.fields[field] ?? '', TEXT_LIMIT) })),
      options: example.options.map((option) => shorten(option, TEXT_LIMIT)),
    };
  };
}
