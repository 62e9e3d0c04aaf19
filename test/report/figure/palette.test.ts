import { expect, test } from 'vitest';
import { COLORS, type Color } from '../../../src/report/figure/palette.js';

type Rgb = readonly [number, number, number];

/** Simulations of full dichromacy in linear sRGB: Machado, Oliveira, Fernandes 2009, table 1, severity 1.0. */
const SIGHTS: Readonly<Record<string, readonly [Rgb, Rgb, Rgb]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** Colours of series that can share a figure; the muted one is the oracle's. */
const SERIES: readonly Color[] = ['blue', 'ochre', 'purple', 'vermilion', 'green', 'muted'];

const schemes = [
  ['light', 0],
  ['dark', 1],
] as const;

test.each(schemes)('%s: text has 4.5 : 1 to its ground and every mark 3 : 1', (_, scheme) => {
  const contrast = (color: Color) => {
    const [a, b] = [COLORS[color][scheme], COLORS.paper[scheme]].map((hex) => luminance(linear(hex)));
    return (Math.max(a!, b!) + 0.05) / (Math.min(a!, b!) + 0.05);
  };
  for (const color of ['ink', 'muted'] as const) expect(contrast(color), color).toBeGreaterThan(4.5);
  for (const color of [...SERIES, 'sky', 'histogram', 'accuracy', 'overconfident', 'underconfident'] as const)
    expect(contrast(color), color).toBeGreaterThan(3);
});

test.each(schemes.flatMap(([name, scheme]) => Object.keys(SIGHTS).map((sight) => [name, sight, scheme] as const)))(
  '%s, %s: colours of series, and of the two kinds of gap, stay apart',
  (_, sight, scheme) => {
    const seen = (color: Color) => lab(through(SIGHTS[sight]!, linear(COLORS[color][scheme])));
    const pairs = SERIES.flatMap((a, i) => SERIES.slice(i + 1).map((b) => [a, b] as const));
    for (const [a, b] of [...pairs, ['overconfident', 'underconfident'] as const]) {
      expect(Math.hypot(...seen(a).map((value, k) => value - seen(b)[k]!)), `${a} and ${b}`).toBeGreaterThan(9);
    }
  },
);

function linear(hex: string): Rgb {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [r!, g!, b!];
}

function through(rows: readonly Rgb[], [r, g, b]: Rgb): Rgb {
  const [x, y, z] = rows.map(([p, q, s]) => Math.min(1, Math.max(0, p * r + q * g + s * b)));
  return [x!, y!, z!];
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** CIELAB, D65. */
function lab([r, g, b]: Rgb): Rgb {
  const root = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = root((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = root(luminance([r, g, b]));
  const z = root((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
