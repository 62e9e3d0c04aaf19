import type { ModelFacts } from '../../contract/scorer.js';
import type { EvaluationContext } from '../protocol/backend.js';
import { checkedPlaces } from './checked-places.js';
import { type JobWave, promptsOf } from './plan-jobs.js';
import type { RowEvaluator } from './row-evaluator.js';
import { selfCheck } from './self-check.js';

/** What is compared: prompts of the first context with those of another one, or of itself, that meet no other. */
interface Compared {
  readonly contexts: readonly [EvaluationContext, ...EvaluationContext[]];
  readonly facts: ModelFacts;
  readonly reference: { readonly context: EvaluationContext; readonly tolerance: number };
}

/**
 * Where every prompt has a pass of its own, a wave is nothing but prompts in hand: the first one, which all rows wait
 * for, has no more than two, with the other orders of their options.
 */
export function startingWaves(first: JobWave | undefined): JobWave[] {
  if (first === undefined) return [];
  const most = 2 * sequenceStep(first);
  if (first.rows.length <= most || first.rows[0]?.prompt.kind === 'reply') return [first];
  return [first.rows.slice(0, most), first.rows.slice(most)].map((rows) => ({ ...first, rows }));
}

/** How many rows of a wave a sequence takes: two where plain prompts stand with the other orders of their options. */
function sequenceStep({ rows }: JobWave): number {
  return rows[0]?.prompt.kind === 'ok' && rows[1]?.prompt.kind === 'rotations' ? 2 : 1;
}

/**
 * Compares prompts of the first wave with the same ones alone. `rows`: those of the wave; null where nothing was
 * compared. `putApart`: short prompts may share no pass from now on, and rows of those that did count for nothing.
 */
export async function checkFirst(run: Compared, first: JobWave | undefined, evaluate: RowEvaluator) {
  const { contexts, facts, reference } = run;
  if (first === undefined || first.rows.length < 2 || first.rows[0]?.prompt.kind === 'reply')
    return { facts, rows: null, putApart: false };
  const { shared } = first;
  // Where plain prompts stand with the other orders of their options, the plain ones are compared.
  const step = sequenceStep(first);
  const rows = promptsOf(first);
  const at = (place: number) => rows.slice(place, place + 1);
  const check = () =>
    selfCheck(
      {
        together: () => evaluate(contexts[0], rows, shared),
        alone: (place) => evaluate(reference.context, at(place), shared),
        ...(shared.length > 0 && { whole: (place: number) => evaluate(reference.context, at(place), []) }),
        places: checkedPlaces(
          rows.filter((_, n) => n % step === 0).map(({ tokens }) => tokens.length),
          contexts[0].inTurn === true,
        ).map((place) => step * place),
        tolerance: reference.tolerance,
        apart: reference.context !== contexts[0],
      },
      facts,
    );
  const checked = await check();
  if (contexts[0].inTurn !== true || (checked.facts.selfCheck?.maxDifference ?? 0) === 0)
    return { ...checked, putApart: false };
  // Short prompts met in a pass where that was to leave no trace: from now on none does.
  for (const context of new Set([...contexts, reference.context])) context.apart?.();
  return { ...(await check()), putApart: true };
}
