/**
 * How often the search of `doctor --tune` takes another shape than the default where rates scatter: with all shapes as
 * fast, and with one setting of which more is faster by a factor. What it says of the gain stands beside what it is.
 *
 *   npx tsx bench/search-noise.ts [searches=3000]
 */
import { seededGenerator } from '../src/numeric/random/seeded-generator.js';
import { type Shape, searchShape } from '../src/scoring/tune/search-shape.js';
import { write } from './measure.js';

const searches = Number(process.argv[2] ?? 3000);
const GIVEN: Shape = { contexts: 4, sequences: 64, batchSize: 2048 };

write('| times as fast | standard deviation of a rate | taken | gain it says | gain it is | trials |');
write('|---|---|---:|---:|---:|---:|');
for (const factor of [1, 1.1, 1.3, 1.5]) {
  for (const spread of [0.015, 0.03, 0.05, 0.1]) {
    const told = { taken: 0, said: 0, real: 0, trials: 0 };
    for (let seed = 1; seed <= searches; seed++) {
      const generator = seededGenerator(seed);
      const unit = () => (generator.next() >>> 8) / 2 ** 24;
      const normal = () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
      const speed = ({ sequences }: Shape) => (sequences > GIVEN.sequences ? factor : 1);
      const rate = async (shape: Shape) => 100 * speed(shape) * Math.exp(spread * normal());
      const found = await searchShape(GIVEN, new Set(), rate);
      told.trials += found?.trials ?? 0;
      if (found === null || found.gain === 1) continue;
      told.taken++;
      told.said += found.gain;
      told.real += speed(found.shape);
    }
    const mean = (sum: number) => (told.taken === 0 ? '' : (sum / told.taken).toFixed(2));
    write(
      `| ${factor} | ${100 * spread} % | ${((100 * told.taken) / searches).toFixed(1)} % | ${mean(told.said)} | ` +
        `${mean(told.real)} | ${(told.trials / searches).toFixed(1)} |`,
    );
  }
}
