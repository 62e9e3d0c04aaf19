import { groupBy } from '../../contract/group-by.js';
import type { ModelFacts } from '../../contract/scorer.js';
import type { LeftOutRow } from '../../datasets/example/example.js';
import type { BatchNoise } from './batch-noise.js';

/**
 * What needs no note: on a CPU a row has the same logits whatever its neighbours, to the last bit; elsewhere
 * differences up to this are no more than the rounding of one sum.
 */
const PROMISED = { cpu: 0, other: 1e-4 };

/** `facts` of the manifest of a model's scores, as they were read. */
export interface CheckedModel {
  readonly model: string;
  readonly facts: unknown;
  /** Examples whose two best options lie no further apart than this. */
  readonly nearTies?: (gap: number) => number;
  /** What differences of this size move; null: unknown. */
  readonly moves?: (difference: number) => BatchNoise | null;
}

/**
 * The measured difference of models whose logits hang on the batch by more than is promised: a line for each that also
 * passes its backend's tolerance, one for all others of a backend, with the largest. None for models that keep the
 * promise, for imported scores, and where nothing was compared.
 */
export function selfCheckNotes(dataset: string, models: readonly CheckedModel[]): string[] {
  const checked = models.flatMap(({ model, facts, nearTies, moves }) => {
    const { selfCheck, backend } = (facts ?? {}) as Partial<ModelFacts>;
    if (selfCheck === undefined || selfCheck.maxDifference <= promised(selfCheck, backend)) return [];
    return [{ model, backend, ...selfCheck, ties: nearTies?.(2 * selfCheck.maxDifference), moves }];
  });
  const beyond = checked.filter(({ maxDifference, tolerance }) => maxDifference > tolerance);
  const within = checked.filter((each) => !beyond.includes(each)).sort((a, b) => b.maxDifference - a.maxDifference);
  const backends = [...new Set(within.map(({ backend }) => backend))];
  return [
    ...beyond.map((each) => `${dataset}: ${differs(each, `${each.model},`, 'more than')}`),
    ...backends.flatMap((backend) => {
      const same = within.filter((each) => each.backend === backend);
      return same.slice(0, 1).map((most) => {
        const who = `${most.model}, the most of ${same.length},`;
        return `${dataset}: ${differs(most, who, 'within')}${otherTies(same.slice(1))}`;
      });
    }),
  ];
}

/** Entries of before this promise say so by their tolerance: they are held to what was promised then. */
function promised({ tolerance }: CheckedDifference, backend: string | undefined): number {
  return backend === 'cpu' && tolerance === 0 ? PROMISED.cpu : PROMISED.other;
}

type Checked = CheckedDifference & {
  readonly model: string;
  readonly backend: string | undefined;
  readonly ties: number | undefined;
  readonly moves: CheckedModel['moves'];
};
type CheckedDifference = NonNullable<ModelFacts['selfCheck']>;

function differs(
  { maxDifference, tolerance, backend, compared = 1, flips = 0, ties, moves }: Checked,
  who: string,
  verdict: string,
): string {
  const size = maxDifference.toPrecision(2);
  const prompts = compared === 1 ? 'one prompt differ' : `${compared} prompts differ`;
  const upTo = compared === 1 ? 'by' : 'by up to';
  const moved = compared === 1 ? '' : `; it flips ${flips} of their answers`;
  const near = ties === undefined ? '' : `; ${ties} answers lie nearer to a tie than twice that`;
  return (
    `the option scores of ${prompts} ${upTo} ${size} (${who} alone and in a batch), ${verdict} the ` +
    `${tolerance} that ${backend} is allowed${moved}${near}${movesInAll(moves?.(maxDifference) ?? null)}`
  );
}

/** What they move in all rows, beside what chance moves. */
function movesInAll(noise: BatchNoise | null): string {
  if (noise === null) return '';
  const points = (fraction: number) => `${(100 * fraction).toPrecision(2)} pp`;
  const moved =
    noise.ece === null
      ? ''
      : ` and move its ECE without calibration by ${points(noise.ece.moved)}, whose standard error is ${points(noise.ece.se)}`;
  return `; drawn anew in every row, such differences flip ${noise.flips.toPrecision(2)} answers${moved}`;
}

/** Each of the other models by its own difference; those without such an answer go without saying. */
function otherTies(others: readonly Checked[]): string {
  const some = others.flatMap(({ model, ties = 0 }) => (ties > 0 ? [`${model} ${ties}`] : []));
  return some.length === 0 ? '' : `; so near, by their own differences: ${some.join(', ')}`;
}

const LISTED_IDS = 50;

/** What the report says of rows that were left out: one line per reason, since a few-shot block can take dozens. */
export function leftOutNotes(dataset: string, rows: readonly LeftOutRow[]): string[] {
  return [...groupBy(rows, ({ reason }) => reason)].map(([reason, same]) => {
    const ids = same.map(({ id }) => id);
    const more = ids.length > LISTED_IDS ? `, and ${ids.length - LISTED_IDS} more` : '';
    return `${dataset}: left out (${reason}), ${ids.length} in all: ${ids.slice(0, LISTED_IDS).join(', ')}${more}`;
  });
}
