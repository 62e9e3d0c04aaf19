import { withoutColors } from '../../figure/palette.js';

const DEFINITIONS = /<defs>\n([\s\S]*?)\n<\/defs>/;

/** A finished figure without what the page states once for all of them: style, colours and definitions. */
export function figureInPage(svg: string): string {
  return withoutColors(svg.replace(/<style>[\s\S]*?<\/style>/, '').replace(DEFINITIONS, '')).replace(
    / xmlns="[^"]*"| font-family="[^"]*"/g,
    '',
  );
}

/** The definitions of all figures, each once: their ids mean the same everywhere. */
export function sharedDefinitions(figures: ReadonlyArray<{ readonly svg: string }>): string {
  const all = new Set(figures.flatMap(({ svg }) => DEFINITIONS.exec(svg)?.[1]?.split('\n') ?? []));
  return withoutColors([...all].join('\n'));
}
