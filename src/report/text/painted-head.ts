import pc from 'picocolors';

/** A line for a terminal that shows colours, with its first characters in one. */
export function paintedHead(line: string, length: number, colour: 'red' | 'yellow'): string {
  return pc.createColors(true)[colour](line.slice(0, length)) + line.slice(length);
}
