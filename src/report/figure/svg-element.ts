import { plainText } from '../text/plain-text.js';

export type Attributes = Readonly<Record<string, string | number>>;

/** `<name a="1">children</name>`; attribute values are escaped, children are markup already. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(value)}"`);
  const open = `<${name}${written.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

/** Text of a node or attribute: control characters (XML 1.0 forbids them) left out, markup characters escaped. */
export function escapeXml(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * A coordinate to a tenth of a pixel, for paths; a number that is none is a fault here, not a broken path in a file.
 */
export function px(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`a figure needs finite numbers, got ${value}`);
  return Math.round(value * 10) / 10;
}

/** Numbers to a hundredth: they can be widths of lines too. */
function attributeText(value: string | number): string {
  if (typeof value === 'string') return escapeXml(value);
  if (!Number.isFinite(value)) throw new RangeError(`a figure needs finite numbers, got ${value}`);
  return String(Math.round(value * 100) / 100);
}
