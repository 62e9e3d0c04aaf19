import type { ScoringYaml } from '../../config/dataset-schema.js';
import { plainWork } from './estimated-work.js';
import { variantOf } from './prompt-forms.js';
import type { WayOfAsking } from './way-of-asking.js';

/** One prompt for each example: what every model of a suite is asked, and what all other ways stand beside. */
export const plain: WayOfAsking = {
  name: 'plain',
  asks: 'every-model',
  methodsNeeding: (methods) => methods,
  render: ({ spec, forms }) => ({
    promptsOf: (model) => {
      const prompts = forms.get(variantOf(spec.yaml, model));
      return prompts === undefined ? null : { prompts, evaluated: prompts };
    },
    refusals: [],
  }),
  scoringMode,
  importable: true,
  missingBesideImport: 'its scores were imported',
  facts: {},
  finishRows: () => async (rows) => rows,
  replies: () => null,
  estimate: plainWork,
  answers: null,
  section: null,
};

/** Mode, normalisation and pmi prompt in one line; the rendered prompts, which are in the key too, follow from them. */
function scoringMode({ mode = 'letter', normalize = 'sum', pmiPrompt }: ScoringYaml = {}): string {
  if (mode === 'letter') return mode;
  return `${mode} ${normalize}${normalize === 'pmi' ? ` ${JSON.stringify(pmiPrompt ?? null)}` : ''}`;
}
