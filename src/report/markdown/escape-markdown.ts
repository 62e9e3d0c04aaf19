import { plainText } from '../plain-text.js';

/**
 * Text from data for use inside a line, list item or table cell of GitHub Markdown: it shows literally. Control
 * characters go, punctuation with a meaning is escaped, `&`, `<` and `>` become entities, and what would begin a
 * heading, list or link address is broken.
 */
export function escapeMarkdown(text: string): string {
  return plainText(text)
    .trim()
    .replace(/[\\`*_[\]|~$#!]/g, '\\$&')
    .replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character]!)
    .replace(/\b(https?|ftp):/gi, '$1\\:')
    .replace(/\bwww\./gi, (match) => `${match.slice(0, -1)}\\.`)
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}
