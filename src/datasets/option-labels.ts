import type { PromptYaml } from '../config/dataset-schema.js';
import { MAX_OPTIONS } from './row-options.js';

export type OptionLabels = PromptYaml['optionLabels'];

/** Labels of K options: A B C (default), a b c, 1 2 3, or the first K of a list; fewer when the list is shorter. */
export function optionLabels(kind: OptionLabels, count: number): readonly string[] {
  if (Array.isArray(kind)) return kind.slice(0, count);
  if (kind === 'digits') return Array.from({ length: count }, (_, k) => String(k + 1));
  const first = kind === 'lower' ? 'a' : 'A';
  return Array.from({ length: count }, (_, k) => String.fromCharCode(first.charCodeAt(0) + k));
}

/**
 * Position of a label such as "B", "b " or one of the prompt's own labels, whatever K is; -1 when it is no label. The
 * prompt's labels go first; letters mean positions as long as the prompt's own labels are not letters themselves.
 */
export function labelPosition(text: string, kind: OptionLabels): number {
  const wanted = text.trim();
  const own = optionLabels(kind, MAX_OPTIONS);
  const exact = own.findIndex((label) => label.trim() === wanted);
  if (exact >= 0) return exact;
  const folded = own.findIndex((label) => label.trim().toLowerCase() === wanted.toLowerCase());
  if (folded >= 0 || own.some((label) => /^[a-z]$/i.test(label.trim()))) return folded;
  return /^[a-z]$/i.test(wanted) ? wanted.toLowerCase().charCodeAt(0) - 97 : -1;
}
