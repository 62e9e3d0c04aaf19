/**
 * Colours after Okabe and Ito, told apart with every common colour blindness: [on white, on a dark page]. Series differ
 * in dash and marker too, so that a print in grey says the same.
 */
export const COLORS = {
  ink: ['#1F2933', '#E6E9EC'],
  muted: ['#5B6770', '#A5B0BA'],
  grid: ['#E3E7EA', '#323B45'],
  paper: ['#FFFFFF', '#1A2027'],
  accuracy: ['#0072B2', '#56B4E9'],
  overconfident: ['#D55E00', '#F0905A'],
  overconfidentTint: ['#FAE3D3', '#42291C'],
  underconfident: ['#009E73', '#4CC7A1'],
  underconfidentTint: ['#D3F0E6', '#17352B'],
  histogram: ['#7A8793', '#8D98A3'],
  blue: ['#0072B2', '#56B4E9'],
  vermilion: ['#D55E00', '#F0905A'],
  green: ['#005542', '#3F9485'],
  purple: ['#AD5997', '#DF60BE'],
  ochre: ['#795B00', '#E6C84A'],
  sky: ['#2E86AB', '#9BD3EE'],
} as const satisfies Record<string, readonly [string, string]>;

export type Color = keyof typeof COLORS;

export const FONT = "system-ui, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

/** As classes alone, for a page that states the colours once and not on every element. */
export const FIGURE_CLASSES = `.scf{fill:${COLORS.ink[0]}}${Object.entries(COLORS)
  .map(([name, [light]]) => `.f-${name}{fill:${light}}.s-${name}{stroke:${light}}`)
  .join('')}`;

/**
 * The colours of a finished figure left to `FIGURE_CLASSES`; text from data cannot hold a quote, so it stays as it is.
 */
export function withoutColors(svg: string): string {
  return svg.replace(/ (?:fill|stroke)="#[0-9A-F]{6}"/g, '');
}

/** Dark colours where the reader's system is dark; on paper and in viewers without CSS the light ones stay. */
export const FIGURE_STYLE = `@media screen and (prefers-color-scheme:dark){.scf{fill:${COLORS.ink[1]}}${Object.entries(
  COLORS,
)
  .map(([name, [, dark]]) => `.f-${name}{fill:${dark}}.s-${name}{stroke:${dark}}`)
  .join('')}}`;

/** Attributes of an element in the given colours: those for white, and the classes that `FIGURE_STYLE` turns dark. */
export function paint(colors: { readonly fill?: Color; readonly stroke?: Color }): Record<string, string> {
  const { fill, stroke } = colors;
  const classes = [fill && `f-${fill}`, stroke && `s-${stroke}`].filter((name) => name !== undefined);
  return {
    ...(fill && { fill: COLORS[fill][0] }),
    ...(stroke && { stroke: COLORS[stroke][0] }),
    class: classes.join(' '),
  };
}
