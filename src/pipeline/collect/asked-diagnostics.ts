import type { DiagnosticsSection } from '../asking/way-of-asking.js';
import type { Workspace } from '../workspace/workspace.js';
import type { CollectedScores } from './collect-scores.js';

/** What the sections of the ways of asking put into diagnostics.json. */
export type AskedDiagnostics = ReturnType<DiagnosticsSection['build']>;

/** Builds the section of every way of asking, and says what its numbers give reason to warn of. */
export function askedDiagnostics(
  { suite, ways }: Pick<Workspace, 'suite' | 'ways'>,
  collected: readonly CollectedScores[],
): { readonly diagnostics: AskedDiagnostics; readonly warnings: readonly string[] } {
  const sections = [...new Set(ways.flatMap(({ section }) => section ?? []))];
  const built = sections.map((section) => section.build(collected, suite));
  const warnings = sections.flatMap((section, n) => section.warnings(built[n] ?? {}));
  return { diagnostics: Object.assign({}, ...built), warnings };
}
