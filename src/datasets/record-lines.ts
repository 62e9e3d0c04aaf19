import type { Info } from 'csv-parse';

/** Lines of records; csv-parse takes each CR LF inside of quotes for two. */
export class RecordLines {
  /** Of the next record, empty lines aside. */
  private next = 1;
  private empty = 0;
  /** Whether there is a CR in the file, with which the parser's own count of lines is off. */
  hasReturns = false;

  /** Line on which a record begins; to be asked for each one in turn. */
  firstOf(record: readonly string[], { empty_lines }: Info): number {
    const line = this.next + empty_lines;
    this.empty = empty_lines;
    this.next++;
    for (const cell of record) {
      for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) this.next++;
    }
    return line;
  }

  /** Line on which the record after those begins, blank lines before it aside. */
  get open(): number {
    return this.next + this.empty;
  }
}
