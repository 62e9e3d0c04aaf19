import { EXAMPLE_KINDS, type Examples, type ShownExample } from '../../../results/examples-schema.js';
import { methodLabel } from '../../../results/method-label.js';
import { formatPercent, formatSignificant } from '../../text/format-number.js';
import { html, type Markup, scrollable } from '../page/markup.js';
import { PAGE_BUDGET, withinBudget } from '../page/page-budget.js';

const KINDS: Readonly<Record<(typeof EXAMPLE_KINDS)[number], { readonly title: string; readonly about: string }>> = {
  'largest-weight': {
    title: 'Largest weight',
    about: 'Disagreements that count most in the fit: own base and references find the answer of the target plausible',
  },
  'smallest-weight': { title: 'Smallest weight', about: 'Disagreements that the fit all but leaves out' },
  'strongest-contradiction': {
    title: 'Strongest contradiction',
    about: 'Disagreements in which the own base gives the answer of the target the least relative support',
  },
  'overconfident-error': {
    title: 'Most over-confident errors',
    about: 'Wrong answers on the evaluation split with the highest confidence before calibration; needs labels',
  },
};

/** Steps of the shading behind a probability. */
const SHADES = 10;

/** The examples behind the numbers, by data set and target; every text is one click away. */
export function exampleSection(examples: Examples | null): Markup | null {
  if (examples === null || examples.examples.length === 0) return null;
  const groups = new Map<string, ShownExample[]>();
  for (const example of examples.examples) {
    const key = JSON.stringify([example.dataset, example.target]);
    const group = groups.get(key);
    if (group) group.push(example);
    else groups.set(key, [example]);
  }
  const kept = withinBudget([...groups.values()], PAGE_BUDGET.examples, (group) => targetExamples(group, examples));
  const beyond = kept.filter(({ content }) => content === null).length;
  const { weights } = examples;
  const source =
    weights === null ? '' : ` Weights are those of ${methodLabel(weights.method, weights.combinationSize)}.`;
  return html`<p class="lead">From the split of seed ${examples.seed}: where the weights are largest and smallest, where the base contradicts the model most, and where confidence goes wrong.${source}</p>
${kept.map(({ content }) => content)}
${beyond > 0 && html`<p class="note">The examples of ${beyond} more ${beyond === 1 ? 'target' : 'targets'} are in <a class="file" href="examples.json">examples.json</a> beside this page, which would be too large with them.</p>`}`;
}

function targetExamples(group: readonly ShownExample[], examples: Examples): Markup {
  const [first] = group;
  if (first === undefined) return html``;
  const { dataset, target } = first;
  return html`<details class="drill" data-dataset="${dataset}" data-target="${target}"><summary><b>${target}</b> on ${dataset}</summary>
${EXAMPLE_KINDS.flatMap((kind) => {
  const ofKind = group.filter((example) => example.kind === kind);
  if (ofKind.length === 0) return [];
  const { title, about } = KINDS[kind];
  return [html`<h3>${title}</h3><p class="note">${about}.</p>${ofKind.map((each) => oneExample(each, examples))}`];
})}</details>`;
}

function oneExample(example: ShownExample, examples: Examples): Markup {
  const { id, text, label, prediction } = example;
  const verdict = label === null ? 'no label' : label === prediction ? 'right' : 'wrong';
  return html`<details class="example"><summary><code>${id}</code> <span class="key">${keyFigure(example)}</span> <span class="verdict ${verdict === 'no label' ? 'none' : verdict}">${verdict}</span></summary>
${text.length === 0 ? html`<p class="note">The rows were imported: there is no text.</p>` : text.map(({ field, value }) => html`<p class="field"><span class="name">${field}</span> <bdi>${value}</bdi></p>`)}
${distributionTable(example)}
${text.some(({ value }) => [...value].length >= examples.textLimit) && html`<p class="note">Cut to ${examples.textLimit} characters.</p>`}</details>`;
}

/** The number that the example was chosen by. */
function keyFigure({ kind, weight, ownBaseSupport, distributions, prediction }: ShownExample): string {
  if (kind === 'strongest-contradiction') return `support ${formatSignificant(ownBaseSupport, 2)}`;
  if (kind === 'overconfident-error') {
    const [before, after] = distributions.map((each) => formatPercent(each.probabilities[prediction] ?? null));
    return `confidence ${before} %${distributions[1]?.method ? ` → ${after} %` : ''}`;
  }
  return `weight ${formatSignificant(weight, 2)}`;
}

function distributionTable({ distributions, options, label, prediction, ownBasePrediction }: ShownExample): Markup {
  const count = distributions[0]?.probabilities.length ?? 0;
  const rows = Array.from({ length: count }, (_, k) => {
    const tags = [k === label && 'label', k === prediction && 'target', k === ownBasePrediction && 'own base'];
    const said = tags.filter((tag) => tag !== false);
    return html`<tr${k === label ? html` class="label"` : ''}><th scope="row"><bdi>${options?.[k] ?? `option ${k + 1}`}</bdi>${said.map((tag) => html` <span class="tag">${tag}</span>`)}</th>${distributions.map(({ probabilities }) => probability(probabilities[k] ?? 0))}</tr>`;
  });
  return scrollable(
    'Probability of each option in per cent, by model',
    html`<table class="grid plain small dist">
<thead><tr><th>Option</th>${distributions.map((each) => html`<th>${headOf(each)}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`,
  );
}

function headOf({ model, role, method, combinationSize, temperature }: ShownExample['distributions'][number]): Markup {
  const how =
    method === null
      ? { target: 'target, before', 'own-base': 'own base', reference: 'reference' }[role]
      : `${methodLabel(method, combinationSize)}, τ ${temperature === null ? '∞' : formatSignificant(temperature, 3)}`;
  return role === 'target' && method !== null ? html`${how}` : html`${model}<span class="how">${how}</span>`;
}

function probability(value: number): Markup {
  const shade = Math.round(value * SHADES);
  return html`<td${shade === 0 ? '' : html` class="p${shade}"`}>${formatPercent(value)}</td>`;
}
