import type { ExamplePrompt } from '../../contract/prompt.js';
import { renderRotations, rotationRefusal } from '../../datasets/prompts/render-prompts.js';
import { takeRows } from '../../numeric/ragged-rows.js';
import type { ReadyEntry } from '../join/planned-entry.js';
import { plainWork } from './estimated-work.js';
import { identityRotationAdder } from './identity-rotation.js';
import { methodsNeeding } from './methods-needing.js';
import { variantOf } from './prompt-forms.js';
import { rotationSection } from './rotation-section.js';
import type {
  AlignedRows,
  AskedPrompts,
  JoinedScores,
  MissingRow,
  RenderedWay,
  RenderInput,
  WayOfAsking,
} from './way-of-asking.js';

/**
 * The options in every cyclic order, for CAPE. The first order is the plain prompt, so the model evaluates the orders 2
 * to K only, and the cached rows take their first K logits from the plain scores.
 */
export const rotations: WayOfAsking = {
  name: 'rotations',
  asks: 'targets',
  methodsNeeding: (methods) => methodsNeeding('rotations', methods),
  render,
  scoringMode: () => 'rotations',
  importable: true,
  missingBesideImport:
    'its scores were imported, those under every order of the options were not (supportcal import --rotations)',
  facts: { firstOrder: 'plain' },
  finishRows: identityRotationAdder,
  replies: () => null,
  // Each further order costs a whole prompt: how much of it is shared is not known.
  estimate: (size) => ({ ...plainWork(size), evaluatedTokens: size.rows * size.promptTokens * (size.options - 1) }),
  answers: {
    label: 'rotated options',
    noun: 'scores',
    join,
    inputs: (joined, aligned) => ({ rotationLogits: alignRotations(joined, aligned) }),
  },
  section: rotationSection,
};

/** Renders the variants that targets are asked in, each once. */
function render({ dataset, spec, suite }: RenderInput): RenderedWay {
  const variants = new Set(suite.targetsOf(spec.id).map(({ target }) => variantOf(spec.yaml, target)));
  const asked = new Map<string | null, AskedPrompts>();
  const refusals: string[] = [];
  for (const variant of variants) {
    const refusal = rotationRefusal(spec, variant);
    if (refusal !== null) {
      refusals.push(`${variant === null ? '' : `variant "${variant}": `}${refusal}`);
      continue;
    }
    const prompts = renderRotations(dataset, spec, variant);
    asked.set(variant, { prompts, evaluated: prompts.map(withoutIdentity) });
  }
  return { promptsOf: (model) => asked.get(variantOf(spec.yaml, model)) ?? null, refusals };
}

function withoutIdentity({ rotations: orders = [], ...prompt }: ExamplePrompt): ExamplePrompt {
  return { ...prompt, rotations: orders.slice(1) };
}

/** Row: K x K logits, rotation by rotation, in the original option order. */
function join(ids: readonly string[], { table, manifest }: ReadyEntry) {
  const rows = new Map(table.ids.map((id, row) => [id, row]));
  const missing: MissingRow[] = [];
  const rowOfExample = Int32Array.from(ids, (id) => {
    const row = rows.get(id) ?? -1;
    if (row !== -1 && table.status[row] === 1) return row;
    const reason = row === -1 ? 'no scores for this example' : (table.reasons[row] ?? 'no usable logits');
    missing.push({ example: id, reason });
    return -1;
  });
  return { table, rowOfExample, facts: (manifest.facts ?? {}) as JoinedScores['facts'], missing };
}

/** The rotated logits of the rows of one aligned target. */
function alignRotations({ table, rowOfExample }: JoinedScores, aligned: AlignedRows) {
  const rows = new Int32Array(aligned.targetLogits.rowCount);
  for (const [i, row] of aligned.rowOfExample.entries()) if (row !== -1) rows[row] = rowOfExample?.[i] ?? -1;
  return takeRows(table.logits, rows);
}
