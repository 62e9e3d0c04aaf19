import type { RowObject } from '../../../formats/row/source-row.js';
import { scalarText } from '../../../formats/row/source-row.js';
import type { LmEvalRequests } from './lm-eval-requests.js';
import { logNumber } from './log-number.js';

/**
 * The right option of a sample, null where it has none or several, or what is wrong. The harness writes the target as
 * text, whether it is the number of an option or its text; its own `acc` tells whether we read it as it does.
 */
export function lmEvalLabel(
  values: RowObject,
  requests: LmEvalRequests,
  labelAs: 'index' | 'text' | undefined,
): number | null | string {
  const target = values.target === undefined ? null : scalarText(values.target);
  if (target === undefined) return 'expected the number or the text of an option, found a list or an object';
  const acc = logNumber(values.acc);
  const severalRight = acc !== undefined && acc > 0 && acc < 1;
  // Where the options stand in the prompts, the target is the text after them, and the log does not say the option.
  if (target === null || requests.inPrompts || severalRight || /^\[.*\]$/s.test(target.trim())) return null;
  // Older releases wrote a number as a number.
  const label = read(target, requests.options, typeof values.target === 'number' ? 'index' : labelAs);
  if (typeof label === 'string' || (acc !== 0 && acc !== 1)) return label;
  const chosen = requests.scores.indexOf(Math.max(...requests.scores));
  if (label === null || chosen < 0 || (chosen === label) === (acc === 1)) return label;
  return (
    `the target ${JSON.stringify(target)} was read as option ${label} (from 0), and the best score is that of ` +
    `option ${chosen}, which does not go with "acc": ${acc} of the log; its task counts in a way of its own`
  );
}

function read(
  target: string,
  options: readonly string[],
  labelAs: 'index' | 'text' | undefined,
): number | null | string {
  const shown = JSON.stringify(target.slice(0, 60));
  const number = /^-?\d{1,9}$/.test(target.trim()) ? Number(target) : null;
  const index = number !== null && number >= 0 && number < options.length ? number : null;
  const found = options.findIndex((option) => option.trim() === target.trim());
  const text = found < 0 ? null : found;
  if (labelAs !== undefined) return (labelAs === 'index' ? index : text) ?? noOption(shown, options.length);
  if (index !== null && text !== null && index !== text)
    return `${shown} is the number of one option (from 0) and the text of another; say which with --label-as index or text`;
  // The harness writes negative numbers for documents without a label.
  if (number !== null && number < 0 && text === null) return null;
  return index ?? text ?? noOption(shown, options.length);
}

function noOption(shown: string, count: number): string {
  return `${shown} is neither the text of one of the ${count} options nor its number from 0`;
}
