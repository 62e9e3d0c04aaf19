import type { PromptYaml } from '../../config/dataset-schema.js';
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
 * Whether labels say what their option is (words such as "negative") and not where it stands: letters, digits, roman
 * numerals, with or without brackets, name a position.
 */
export function labelsNameOptions(kind: OptionLabels): boolean {
  return (
    Array.isArray(kind) && !kind.every((label) => /^[^\p{L}\p{N}]*(\p{L}|\p{N}+|[ivx]+)[^\p{L}\p{N}]*$/iu.test(label))
  );
}

/** Position of a label such as "B" or "b ", whatever K is; -1 when the text is no label. */
export type LabelPosition = (text: string) => number;

/**
 * Finds labels. The prompt's own labels go first, then without regard to case; letters mean positions as long as the
 * prompt's own labels are not letters themselves.
 */
export function labelPosition(kind: OptionLabels): LabelPosition {
  const own = optionLabels(kind, MAX_OPTIONS).map((label) => label.trim());
  const letters = own.some((label) => /^[a-z]$/i.test(label)) ? [] : optionLabels('lower', MAX_OPTIONS);
  const exact = firstPositions(own);
  const folded = firstPositions(own.map((label) => label.toLowerCase()));
  const byLetter = firstPositions(letters);
  return (text) => {
    const label = text.trim();
    const lower = label.toLowerCase();
    return exact.get(label) ?? folded.get(lower) ?? byLetter.get(lower) ?? -1;
  };
}

function firstPositions(labels: readonly string[]): Map<string, number> {
  const positions = new Map<string, number>();
  labels.forEach((label, k) => {
    if (!positions.has(label)) positions.set(label, k);
  });
  return positions;
}
