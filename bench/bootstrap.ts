import { DEFAULT_BINNING } from '../src/metrics/bins/binning.js';
import { binResiduals } from '../src/metrics/bootstrap/bin-residuals.js';
import { type BootstrapSample, bootstrapEce } from '../src/metrics/bootstrap/bootstrap-ece.js';
import { shuffle } from '../src/numeric/random/shuffle.js';
import { resampleCount } from '../src/pipeline/bootstrap/resample-count.js';

/*
 * The bootstrap of one data set: targets x methods x 5 seeds on the 70 % evaluation splits, at the default number of
 * resamples and at 1,000. Run: npx tsx bench/bootstrap.ts
 */
const splits = new Map<string, Int32Array>();

for (const [name, targets, methods, examples] of [
  ['demo data set', 7, 7, 800],
  ['12 targets', 12, 8, 4183],
] as const) {
  const groups = Array.from({ length: targets * methods }, (_, g) => samplesOf(g, examples));
  const entries = groups.length * 5 * groups[0]![0]!.clusters.length;
  for (const resamples of [resampleCount('auto', entries), 1000]) {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    bootstrapEce(groups, { clusterCount: examples, resamples, seed: 1 });
    const ms = performance.now() - began;
    const spent = process.cpuUsage(cpu).user / 1000;
    process.stdout.write(
      `${name}: ${targets} x ${methods} methods x 5 seeds x ${examples} examples, ${resamples} resamples: ` +
        `${ms.toFixed(0)} ms, ${spent.toFixed(0)} ms of CPU, ${((spent * 1e6) / entries / resamples).toFixed(2)} ns an example\n`,
    );
  }
}

/** Five seeds of one method: its own confidences, on splits that all methods share. */
function samplesOf(group: number, examples: number): BootstrapSample[] {
  return [1, 2, 3, 4, 5].map((seed) => {
    const clusters =
      splits.get(`${examples} ${seed}`) ?? shuffle(examples, seed).subarray(0, Math.ceil(0.7 * examples));
    splits.set(`${examples} ${seed}`, clusters);
    const confidences = Float64Array.from(clusters, (n) => 0.625 + 0.375 * Math.sin(n * 12.9898 + group));
    const correct = Uint8Array.from(clusters, (n) => ((n * 7919 + group) % 5 < 3 ? 1 : 0));
    return { clusters, residuals: binResiduals(confidences, correct, DEFAULT_BINNING) };
  });
}
