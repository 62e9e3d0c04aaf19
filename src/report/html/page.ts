import { createHash } from 'node:crypto';
import { html, type Markup, trusted } from './markup.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';

const STYLE_IN_FIGURE = /<style[^>]*>([\s\S]*?)<\/style>/g;

/**
 * The whole document. Its policy lets nothing load and nothing run but our own style and script, by their hashes; the
 * styles of the figures in `content` are ours too.
 */
export function page(title: string, content: Markup): string {
  const styles = new Set([PAGE_STYLE]);
  // A style in a figure holds for the whole page, so its repeats in the other figures are left out.
  const body = content.text.replace(STYLE_IN_FIGURE, (element, style: string) => {
    if (styles.has(style)) return '';
    styles.add(style);
    return element;
  });
  const policy = [
    "default-src 'none'",
    `style-src ${[...styles].map(hashOf).join(' ')}`,
    `script-src ${hashOf(PAGE_SCRIPT)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trusted(PAGE_STYLE)}</style>
</head>
<body>
${trusted(body)}
<script>${trusted(PAGE_SCRIPT)}</script>
</body>
</html>
`.text;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
