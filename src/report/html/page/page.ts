import { createHash } from 'node:crypto';
import { FIGURE_CLASSES, FIGURE_STYLE } from '../../figure/palette.js';
import { html, type Markup, trusted } from './markup.js';
import { PAGE_STYLE } from './page-style.js';
import { PAGE_SCRIPT } from './script/page-script.js';

const STYLE = `${PAGE_STYLE}${FIGURE_CLASSES}${FIGURE_STYLE}\n`;

/** The whole document. Its policy lets nothing load and nothing run but our own style and script, by their hashes. */
export function page(title: string, content: Markup, script = PAGE_SCRIPT): string {
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${hashOf(script)}`,
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
<style>${trusted(STYLE)}</style>
</head>
<body>
${content}
<script>${trusted(script)}</script>
</body>
</html>
`.text;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
