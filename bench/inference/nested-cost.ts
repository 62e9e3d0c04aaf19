import { nestedBootstrap, type ResampledMethod } from '../../src/inference/nested-bootstrap.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { dataSet, type MethodLaw, world } from './world.js';

/*
 * Cost of the nested bootstrap: one target of 4,183 examples with ten methods, seven of which are fitted, five splits,
 * and what twelve targets and 1,000 resamples would take of one core. Run: npx tsx bench/inference/nested-cost.ts
 * [resamples]
 */
const resamples = Number(process.argv[2] ?? 100);
const count = 4183;
const law: MethodLaw = { noise: 0, teacherNoise: 1, target: 0.03, sign: 'over' };
const [fitted] = dataSet(world([law]), count, seededGenerator(1));
if (fitted === undefined) throw new Error('no method');
const fixed: ResampledMethod = {
  kind: 'fixed',
  confidences: Float64Array.from({ length: count }, (_, n) => 0.3 + 0.69 * ((n * 0.618) % 1)),
  correct: fitted.correct,
};
const methods = [...Array.from({ length: 7 }, () => ({ ...fitted })), fixed, fixed, fixed];
const clusters = Int32Array.from({ length: count }, (_, n) => n);
for (let i = 0; i < 3; i++) {
  const [began, wall] = [process.cpuUsage(), performance.now()];
  const found = nestedBootstrap(methods, {
    clusters,
    clusterCount: count,
    calibrationFraction: 0.3,
    splits: 5,
    resamples,
    seed: 1,
  });
  const seconds = process.cpuUsage(began).user / 1e6;
  const general = found.reduce((sum, { generalFits }) => sum + generalFits, 0);
  process.stdout.write(
    `${resamples} resamples: ${seconds.toFixed(2)} s of CPU (${((performance.now() - wall) / 1000).toFixed(2)} s wall), ` +
      `${((seconds * 1e6) / (resamples * 5 * methods.length)).toFixed(1)} us a refit with its ECE, ${general} by the general path; ` +
      `12 targets x 1,000 resamples: ${((seconds * 12 * 1000) / resamples).toFixed(1)} s of one core\n`,
  );
}
