import path from 'node:path';
import { slugOf } from '../../files/slug-of.js';

/**
 * Where the results of a suite go unless `--out` says it. A name that is no plain file name (`..`, none, one with a
 * slash) gets one of its own: it must lead out of `reports` no more than into the folder of another suite.
 */
export function reportFolder(suite: string): string {
  return path.join('reports', /^\w(?:[\w.-]*[\w-])?$/.test(suite) ? suite : slugOf(suite));
}
