import type { ModelSpec } from '../../config/models-schema.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import { elicitationRefusal } from '../../datasets/prompts/render-elicitation.js';
import type { ReadyEntry } from '../join/planned-entry.js';
import { variantOf } from './prompt-forms.js';
import type { AlignedRows, AskedPrompts, JoinedScores, RenderedWay, RenderInput } from './way-of-asking.js';

/**
 * Renders requests to the targets of a data set, whose options must be in sight. Targets that are asked alike share
 * their prompts.
 */
export function renderForTargets(
  { spec, suite }: RenderInput,
  render: (target: ModelSpec, variant: string | null) => readonly ExamplePrompt[],
): RenderedWay {
  const known = new Map<string, AskedPrompts>();
  const asked = new Map<string, AskedPrompts>();
  const refusals = new Set<string>();
  for (const { target } of suite.targetsOf(spec.id)) {
    const variant = variantOf(spec.yaml, target);
    const refusal = elicitationRefusal(spec, variant);
    if (refusal !== null) {
      refusals.add(refusal);
      continue;
    }
    const likeness = JSON.stringify([variant, target.prompt, target.elicitationPrompt ?? null]);
    const same = known.get(likeness) ?? whole(render(target, variant));
    known.set(likeness, same);
    asked.set(target.id, same);
  }
  return { promptsOf: ({ id }) => asked.get(id) ?? null, refusals: [...refusals] };
}

function whole(prompts: readonly ExamplePrompt[]): AskedPrompts {
  return { prompts, evaluated: prompts };
}

/** Joins an entry whose rows are found by their ids; rows that failed are named. */
export function joinById(_ids: readonly string[], { table, manifest }: ReadyEntry) {
  const missing = table.ids.flatMap((example, row) =>
    table.status[row] === 0 ? [{ example, reason: table.reasons[row] ?? 'no reply' }] : [],
  );
  return { table, rowOfExample: null, facts: (manifest.facts ?? {}) as JoinedScores['facts'], missing };
}

/** The id of the example of each row of an aligned target. */
export function exampleOfRow({ rowOfExample, targetLogits, ids }: AlignedRows): string[] {
  const idOfRow: string[] = new Array(targetLogits.rowCount);
  for (const [i, id] of ids.entries()) {
    const row = rowOfExample[i] ?? -1;
    if (row !== -1) idOfRow[row] = id;
  }
  return idOfRow;
}
