/**
 * How often the search of `doctor --tune` takes another shape than the default where rates scatter evenly, where some
 * trials are slow, and where a machine has two speeds: with all shapes as fast, and with one setting of which more is
 * faster by a factor. What it says of the gain stands beside what it is.
 *
 *   npx tsx bench/search-noise.ts [searches=3000]
 */
import { normalDraws, uniformDraw } from '../src/inference/law/normal-draws.js';
import { type SeededGenerator, seededGenerator } from '../src/numeric/random/seeded-generator.js';
import { type Shape, searchShape } from '../src/scoring/tune/search-shape.js';
import { write } from './measure.js';

const searches = Number(process.argv[2] ?? 3000);
/** Starts a search; the function gives what chance multiplies the rate of each trial by. */
type Noise = (generator: SeededGenerator) => () => number;

const even =
  (spread: number): Noise =>
  (generator) =>
  () =>
    Math.exp(spread * normalDraws(generator, 1)[0]!);

const NOISES: Readonly<Record<string, Noise>> = {
  'standard deviation 1.5 %': even(0.015),
  '3 %': even(0.03),
  '5 %': even(0.05),
  '10 %': even(0.1),
  '1.5 %, and one trial in ten takes twice as long': (generator) => {
    const rest = even(0.015)(generator);
    return () => rest() * (uniformDraw(generator) < 0.1 ? 0.5 : 1);
  },
  '1.5 %, and the machine is 1.4 times as fast for four trials': (generator) => {
    const rest = even(0.015)(generator);
    const from = 1 + Math.floor(8 * uniformDraw(generator));
    let trial = 0;
    return () => {
      const isFast = trial >= from && trial < from + 4;
      trial++;
      return rest() * (isFast ? 1.4 : 1);
    };
  },
  '1.5 %, and a load that slows to 1 / 1.4 comes or goes with one trial in five': (generator) => {
    const rest = even(0.015)(generator);
    let loaded = uniformDraw(generator) < 0.5;
    return () => {
      loaded = uniformDraw(generator) < 0.2 ? !loaded : loaded;
      return rest() / (loaded ? 1.4 : 1);
    };
  },
};
const GIVEN: Shape = { contexts: 4, sequences: 64, batchSize: 2048 };

write('| times as fast | rates | taken | gain it says | gain it is | trials |');
write('|---|---|---:|---:|---:|---:|');
for (const factor of [1, 1.1, 1.3, 1.5]) {
  for (const [name, noise] of Object.entries(NOISES)) {
    const told = { taken: 0, said: 0, real: 0, trials: 0 };
    for (let seed = 1; seed <= searches; seed++) {
      const luck = noise(seededGenerator(seed));
      const speed = ({ sequences }: Shape) => (sequences > GIVEN.sequences ? factor : 1);
      const found = await searchShape(GIVEN, new Set(), async (shape) => 100 * speed(shape) * luck());
      told.trials += found?.trials ?? 0;
      if (found === null || found.gain === 1) continue;
      told.taken++;
      told.said += found.gain;
      told.real += speed(found.shape);
    }
    const mean = (sum: number) => (told.taken === 0 ? '' : (sum / told.taken).toFixed(2));
    write(
      `| ${factor} | ${name} | ${((100 * told.taken) / searches).toFixed(1)} % | ${mean(told.said)} | ` +
        `${mean(told.real)} | ${(told.trials / searches).toFixed(1)} |`,
    );
  }
}
