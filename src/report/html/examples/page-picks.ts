import { groupBy } from '../../../contract/group-by.js';
import type { Examples, ShownExample } from '../../../results/examples/examples-schema.js';
import { methodLabel } from '../../../results/method-label.js';
import { formatSignificant } from '../../text/format-number.js';
import { PAGE_BUDGET } from '../page/page-budget.js';

/** The examples of weights and contradictions of as many targets as fit, as the script of the page reads them. */
export function pagePicks(examples: Examples | null) {
  const groups = groupBy(examples?.examples ?? [], ({ dataset, target }) => JSON.stringify([dataset, target]));
  let left: number = PAGE_BUDGET.examples;
  const kept = [...groups.values()].map((group) => {
    const picks = group.map(pickOf);
    const size = JSON.stringify(picks).length;
    if (size > left) return null;
    left -= size;
    return picks;
  });
  return { picks: kept.flatMap((group) => group ?? []), beyond: kept.filter((group) => group === null).length };
}

function pickOf(example: ShownExample) {
  const { dataset, target, kind, id, text, options, label, weight, ownBaseSupport, distributions } = example;
  const support = `relative support of the own base ${formatSignificant(ownBaseSupport, 2)}`;
  return {
    dataset,
    target,
    kind,
    id,
    options,
    label,
    fields: text.map(({ field }) => field),
    texts: text.map(({ value }) => value),
    why: weight === null ? support : `weight ${formatSignificant(weight, 2)}, ${support}`,
    heads: distributions.map(headOf),
    probabilities: distributions.map(({ probabilities }) => probabilities),
  };
}

/** What made a distribution, in a few words. */
function headOf({ model, role, method, combinationSize, temperature }: ShownExample['distributions'][number]): string {
  if (method === null) return { target: 'as it is', 'own-base': `own base ${model}`, reference: model }[role];
  const tau = temperature === null ? '∞' : formatSignificant(temperature, 3);
  return `${methodLabel(method, combinationSize)}, τ ${tau}`;
}
