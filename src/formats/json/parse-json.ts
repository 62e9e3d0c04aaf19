import { type RowValue, setField } from '../row/source-row.js';

/** What is wrong with a JSON text, and at which character (0-based) of it. */
export class JsonFault extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const MAX_DEPTH = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

/**
 * Reads JSON (RFC 8259) where `JSON.parse` would lose something: integers beyond 2^53 come back as bigint, a repeated
 * key is refused instead of dropped, `__proto__` is plain data, and an escaped lone surrogate is refused.
 *
 * `allowNonFinite` accepts what Python's json module writes for floats: NaN, Infinity and -Infinity.
 */
export class JsonReader {
  position = 0;
  private readonly text: string;
  private readonly allowNonFinite: boolean;

  constructor(text: string, options: { allowNonFinite?: boolean } = {}) {
    this.text = text;
    this.allowNonFinite = options.allowNonFinite ?? false;
  }

  /** The one value of the text; anything after it is a fault. */
  readAll(): RowValue {
    const value = this.readValue(0);
    this.skipSpace();
    if (this.position < this.text.length) throw this.fault('expected the end of the value');
    return value;
  }

  readValue(depth: number): RowValue {
    this.skipSpace();
    const code = this.text.charCodeAt(this.position);
    if (code === 0x22) return this.readString();
    if (code === 0x7b) return this.readObject(depth);
    if (code === 0x5b) return this.readArray(depth);
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.readNumber();
    return this.readWord();
  }

  skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.position++;
    }
  }

  /** Steps over one given character after white space; false when another one stands there. */
  accept(character: string): boolean {
    this.skipSpace();
    if (this.text[this.position] !== character) return false;
    this.position++;
    return true;
  }

  fault(expected: string, offset = this.position): JsonFault {
    const found =
      offset < this.text.length ? `found ${JSON.stringify(this.text.slice(offset, offset + 12))}` : 'it ends';
    return new JsonFault(`not valid JSON: ${expected}, but ${found} (character ${offset + 1})`, offset);
  }

  private readObject(depth: number): RowValue {
    const opened = this.position++;
    if (depth >= MAX_DEPTH) throw new JsonFault(`more than ${MAX_DEPTH} nested levels`, opened);
    const object: Record<string, RowValue> = {};
    if (this.accept('}')) return object;
    for (;;) {
      this.skipSpace();
      const at = this.position;
      if (this.text.charCodeAt(at) !== 0x22) throw this.fault('expected a key in double quotes');
      const key = this.readString();
      if (Object.hasOwn(object, key)) throw new JsonFault(`the key "${key}" stands twice; remove one of them`, at);
      if (!this.accept(':')) throw this.fault('expected ":"');
      setField(object, key, this.readValue(depth + 1));
      if (this.accept('}')) return object;
      if (!this.accept(',')) throw this.fault('expected "," or "}"');
    }
  }

  private readArray(depth: number): RowValue {
    const opened = this.position++;
    if (depth >= MAX_DEPTH) throw new JsonFault(`more than ${MAX_DEPTH} nested levels`, opened);
    const list: RowValue[] = [];
    if (this.accept(']')) return list;
    for (;;) {
      list.push(this.readValue(depth + 1));
      if (this.accept(']')) return list;
      if (!this.accept(',')) throw this.fault('expected "," or "]"');
    }
  }

  private readString(): string {
    const { text } = this;
    const start = this.position + 1;
    let escaped = false;
    for (let end = start; ; end++) {
      const code = text.charCodeAt(end);
      if (code === 0x22) {
        this.position = end + 1;
        return escaped ? this.unescape(start, end) : text.slice(start, end);
      }
      if (code === 0x5c) {
        escaped = true;
        end++;
      } else if (code < 0x20) {
        throw this.fault('expected an escape such as \\n for a control character inside a string', end);
      } else if (Number.isNaN(code)) {
        throw this.fault('expected the closing quote of a string', end);
      }
    }
  }

  /** Rare path: JSON.parse knows every escape; what it lets through is the half of a surrogate pair. */
  private unescape(start: number, end: number): string {
    let value: string;
    try {
      value = JSON.parse(this.text.slice(start - 1, end + 1)) as string;
    } catch {
      const bad = /\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(this.text.slice(start, end).replace(/\\\\/g, '  '));
      throw this.fault('expected a valid escape', start + (bad?.index ?? 0));
    }
    const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(value);
    if (lone) {
      const half = `\\u${lone[0].charCodeAt(0).toString(16)}`;
      const at = this.text.slice(start, end).toLowerCase().indexOf(half);
      throw new JsonFault(`${half} is half of a surrogate pair, which is no character`, start + Math.max(at, 0));
    }
    return value;
  }

  private readNumber(): number | bigint {
    NUMBER.lastIndex = this.position;
    const match = NUMBER.exec(this.text);
    if (!match)
      return this.text.startsWith('-Infinity', this.position) ? this.nonFinite('-Infinity') : this.badNumber();
    const start = this.position;
    this.position += match[0].length;
    const value = Number(match[0]);
    if (match[1] === undefined && match[2] === undefined) return Number.isSafeInteger(value) ? value : BigInt(match[0]);
    if (!Number.isFinite(value) && !this.allowNonFinite) {
      throw new JsonFault(`the number ${match[0].slice(0, 30)} is outside the range of a double`, start);
    }
    return value;
  }

  private readWord(): RowValue {
    for (const [word, value] of [
      ['null', null],
      ['true', true],
      ['false', false],
    ] as const) {
      if (this.text.startsWith(word, this.position)) {
        this.position += word.length;
        return value;
      }
    }
    if (this.text.startsWith('NaN', this.position)) return this.nonFinite('NaN');
    if (this.text.startsWith('Infinity', this.position)) return this.nonFinite('Infinity');
    throw this.fault('expected a value');
  }

  private nonFinite(word: string): number {
    if (!this.allowNonFinite) throw this.fault('expected a value (write null for a missing number)');
    this.position += word.length;
    return Number(word);
  }

  private badNumber(): never {
    throw this.fault('expected a number');
  }
}
