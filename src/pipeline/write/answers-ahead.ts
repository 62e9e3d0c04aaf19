import type { Answers } from '../../results/examples/answers-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import type { CollectedScores } from '../collect/collect-scores.js';
import type { Workspace } from '../workspace/workspace.js';
import { buildAnswers } from './build-answers.js';

/**
 * answers.json has the targets that were calibrated. It is made of those that will be, as far as one knows, while other
 * threads calibrate them, and made anew if there turn out to be others.
 */
export function answersAhead({ suite }: Workspace) {
  let made: { readonly targets: string; readonly answers: Answers } | undefined;
  return (collected: readonly CollectedScores[], runs?: ReadonlyArray<readonly RunResult[]>): Answers => {
    const lists = collected.map(({ dataset }, d) => [
      ...new Set(runs?.[d]?.map(({ target }) => target) ?? suite.targetsOf(dataset).map(({ target }) => target.id)),
    ]);
    const targets = JSON.stringify(lists);
    if (made?.targets !== targets) {
      const answers = buildAnswers(collected.map((asked, d) => ({ asked, targets: lists[d] ?? [] })));
      made = { targets, answers };
    }
    return made.answers;
  };
}
