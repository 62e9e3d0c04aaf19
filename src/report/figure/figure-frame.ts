import { shorten } from '../text/plain-text.js';
import { markDefinitions } from './mark.js';
import { type Color, FIGURE_STYLE, FONT, paint } from './palette.js';
import { element, escapeXml, px } from './svg-element.js';

export interface Frame {
  /** Unique among the figures of a page. */
  readonly id: string;
  readonly title: string;
  readonly alt: string;
  readonly width: number;
  readonly height: number;
  /** Beyond the markers, which are found in the body: elements whose ids mean the same in every figure. */
  readonly defs?: readonly string[];
}

/** A whole SVG document: title and description for readers who do not see it, colours for light, dark and print. */
export function figureFrame({ id, title, alt, width, height, defs = [] }: Frame, ...body: readonly string[]): string {
  const definitions = [...defs, ...markDefinitions(body.join(''))];
  const svg = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      class: 'scf f-ink',
      'aria-labelledby': `${id}-title ${id}-desc`,
      'font-family': FONT,
      'font-size': 12,
      fill: paint({ fill: 'ink' }).fill ?? '',
    },
    element('title', { id: `${id}-title` }, escapeXml(title)),
    element('desc', { id: `${id}-desc` }, escapeXml(alt)),
    element('style', {}, FIGURE_STYLE),
    ...(definitions.length === 0 ? [] : [element('defs', {}, `\n${definitions.join('\n')}\n`)]),
    element('rect', { width, height, ...paint({ fill: 'paper' }) }),
    text(16, 24, shorten(title, Math.floor((width - 32) / 8.2)), { 'font-size': 15, 'font-weight': 600 }),
    ...body,
  );
  return `${svg}\n`;
}

/** Escaped text at a point, 12 px in ink as the figure says, unless the attributes say otherwise. */
export function text(
  x: number,
  y: number,
  content: string,
  attributes: Readonly<Record<string, string | number>> = {},
): string {
  return element('text', { x, y, ...attributes }, escapeXml(content));
}

/** Smaller and quieter: ticks and notes. */
export function mutedText(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return text(x, y, content, { 'font-size': 11, ...anchored(anchor), ...paint({ fill: 'muted' }) });
}

/** Several quiet texts that share their anchor: ticks of an axis. */
export function mutedTexts(
  anchor: 'start' | 'middle' | 'end',
  texts: ReadonlyArray<readonly [x: number, y: number, content: string]>,
): string {
  const attributes = { 'font-size': 11, ...anchored(anchor), ...paint({ fill: 'muted' }) };
  return element('g', attributes, ...texts.map(([x, y, content]) => text(x, y, content)));
}

/** Numbers below an axis from 0 to `width`; those at its ends stand inside, so that neighbours keep apart. */
export function axisTexts(width: number, y: number, ticks: ReadonlyArray<readonly [x: number, name: string]>): string {
  const anchorAt = (x: number) => (x < 1 ? 'start' : x > width - 1 ? 'end' : 'middle');
  return ticks.map(([x, name]) => mutedText(x, y, name, anchorAt(x))).join('');
}

/** Lines of one colour in one path. */
export function rules(
  color: Color,
  lines: ReadonlyArray<readonly [x1: number, y1: number, x2: number, y2: number]>,
): string {
  const path = lines.map(([x1, y1, x2, y2]) => `M${px(x1)} ${px(y1)}${x1 === x2 ? `V${px(y2)}` : `H${px(x2)}`}`);
  return element('path', { d: path.join(''), fill: 'none', ...paint({ stroke: color }) });
}

function anchored(anchor: 'start' | 'middle' | 'end'): Record<string, string> {
  return anchor === 'start' ? {} : { 'text-anchor': anchor };
}

/** Ids stay unique when several figures are put into one page. */
export function idOf(path: string): string {
  return path.replace(/^figures\/|\.svg$/g, '').replace(/[^A-Za-z0-9_-]/g, '_');
}
