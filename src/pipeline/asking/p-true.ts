import type { ScoreTable } from '../../cache/table/score-table.js';
import { renderTruth } from '../../datasets/prompts/render-elicitation.js';
import { type RaggedRows, raggedRows, rowOf } from '../../numeric/ragged-rows.js';
import { plainWork, REQUEST_TOKENS } from './estimated-work.js';
import { methodsNeeding } from './methods-needing.js';
import { exampleOfRow, joinById, renderForTargets } from './target-requests.js';
import type { RenderInput, WayOfAsking } from './way-of-asking.js';

const NAME = 'p-true';

/** P(True): each option is proposed, and the model is asked whether it is right. */
export const pTrue: WayOfAsking = {
  name: NAME,
  asks: 'targets',
  methodsNeeding: (methods) => methodsNeeding(NAME, methods),
  render,
  scoringMode: () => NAME,
  importable: false,
  missingBesideImport: 'its scores were imported, so it cannot be asked for replies',
  facts: {},
  finishRows: () => async (rows) => rows,
  replies: () => null,
  estimate: (size) => ({
    ...plainWork(size),
    evaluatedTokens: size.rows * (size.promptTokens + size.options * REQUEST_TOKENS),
    longest: size.longest + REQUEST_TOKENS,
  }),
  answers: {
    label: NAME,
    noun: 'replies',
    join: joinById,
    inputs: ({ table }, rows) => ({ truthLogits: logitsOf(exampleOfRow(rows), table) }),
  },
  section: null,
};

function render(input: RenderInput) {
  const { dataset, spec, suite } = input;
  const { prompt = null, labels = ['yes', 'no'] as [string, string] } = suite.elicitation.trueFalse ?? {};
  return renderForTargets(input, (target, variant) =>
    renderTruth({ dataset, spec, variant, frame: target.prompt }, { instruction: prompt, labels }),
  );
}

/** Row: for each option the logits of "right" and "not right"; no numbers where the example was not scored. */
function logitsOf(ids: readonly string[], table: ScoreTable): RaggedRows {
  const rows = new Map(table.ids.map((id, row) => [id, row]));
  return raggedRows(
    ids.map((id) => {
      const row = rows.get(id);
      return row === undefined || table.status[row] === 0 ? [] : rowOf(table.logits, row);
    }),
  );
}
