import type { Rank } from '../table/rank-values.js';

/** Best bold, second underlined (`<ins>`, which GitHub shows). */
export function rankedMarkdown(text: string, rank: Rank): string {
  if (rank === 'best') return `**${text}**`;
  return rank === 'second' ? `<ins>${text}</ins>` : text;
}
