import { HttpFault } from './http-fault.js';
import type { ServedArtefact } from './served-artefacts.js';

/** What a proxied request says to us alone, in its field `supportcal`. */
export interface ProxyWishes {
  readonly artefact?: string;
  /** How many options the question has, or their labels. */
  readonly options?: number | readonly string[];
}

/** What stands for the options of a proxied question: labels as named, or the first of the artefact's. */
export function optionLabelsOf({ artefact, name }: ServedArtefact, { options }: ProxyWishes): readonly string[] {
  if (typeof options === 'object') return options;
  const { optionLabels, expected } = artefact;
  const counts = Object.keys(expected.optionCounts);
  const say = 'say which with "supportcal": {"options": ["A", "B"]}';
  if (optionLabels === null) throw new HttpFault(400, 'options', `${name} knows no labels of options; ${say}`);
  const [only] = counts;
  const count = options ?? (counts.length === 1 ? Number(only) : null);
  if (count === null) {
    const message = `questions of ${name} have ${counts.join(', ')} options; say how many with "supportcal": {"options": 4}`;
    throw new HttpFault(400, 'options', message);
  }
  if (count <= optionLabels.length) return optionLabels.slice(0, count);
  throw new HttpFault(400, 'options', `${name} knows ${optionLabels.length} labels, not ${count}; ${say}`);
}
