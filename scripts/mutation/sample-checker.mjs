import { createHash } from 'node:crypto';
import path from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

/**
 * Draws a share of the mutants: StrykerJS asks a checker about each before it runs a test, and leaves out of the score
 * those that "do not compile". What is drawn depends on the seed and on the mutant alone, not on its neighbours.
 */
class SampleChecker {
  async init() {}

  async check(mutants) {
    const { SUPPORTCAL_MUTATION_SHARE: share, SUPPORTCAL_MUTATION_SEED: seed } = process.env;
    return Object.fromEntries(
      mutants.map((mutant) => {
        const drawn = numberOf(mutant, seed) < Number(share);
        return [mutant.id, drawn ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' }];
      }),
    );
  }
}

/** A number in [0, 1) for a mutant. */
function numberOf({ fileName, location, mutatorName, replacement }, seed) {
  const file = path.basename(fileName);
  const text = JSON.stringify([seed, file, location.start, location.end, mutatorName, replacement]);
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker)];
