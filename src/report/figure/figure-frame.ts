import { shorten } from '../plain-text.js';
import { FIGURE_STYLE, FONT, paint } from './palette.js';
import { element, escapeXml } from './svg-element.js';

export interface Frame {
  /** Unique among the figures of a page. */
  readonly id: string;
  readonly title: string;
  readonly alt: string;
  readonly width: number;
  readonly height: number;
  readonly defs?: string;
}

/** A whole SVG document: title and description for readers who do not see it, colours for light, dark and print. */
export function figureFrame({ id, title, alt, width, height, defs }: Frame, ...body: readonly string[]): string {
  const svg = element(
    'svg',
    {
      ...{ xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' },
      ...{ class: 'scf f-ink', 'aria-labelledby': `${id}-title ${id}-desc`, 'font-family': FONT },
      fill: paint({ fill: 'ink' }).fill!,
    },
    element('title', { id: `${id}-title` }, escapeXml(title)),
    element('desc', { id: `${id}-desc` }, escapeXml(alt)),
    element('style', {}, FIGURE_STYLE),
    ...(defs === undefined ? [] : [element('defs', {}, defs)]),
    element('rect', { width, height, ...paint({ fill: 'paper' }) }),
    text(16, 24, shorten(title, Math.floor((width - 32) / 8.2)), { 'font-size': 15, 'font-weight': 600 }),
    ...body,
  );
  return `${svg}\n`;
}

/** Escaped text at a point; muted labels are the caller's attributes. */
export function text(
  x: number,
  y: number,
  content: string,
  attributes: Readonly<Record<string, string | number>> = {},
): string {
  return element('text', { x, y, 'font-size': 12, ...paint({ fill: 'ink' }), ...attributes }, escapeXml(content));
}

/** Smaller and quieter: ticks and notes. */
export function mutedText(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return text(x, y, content, { 'font-size': 11, 'text-anchor': anchor, ...paint({ fill: 'muted' }) });
}

/** Ids stay unique when several figures are put into one page. */
export function idOf(path: string): string {
  return path.replace(/^figures\/|\.svg$/g, '').replace(/[^A-Za-z0-9_-]/g, '_');
}
