import { describe, expect, it } from 'vitest';
import { scoreTable } from '../../../src/cache/table/score-table.js';
import { rotationSection } from '../../../src/pipeline/asking/rotation-section.js';
import { answerHealth, nearTies } from '../../../src/pipeline/collect/answer-health.js';
import { joinScores } from '../../../src/pipeline/join/dataset-scores.js';

/** 40 examples with labels A and B in turn; the model prefers `prefers(i)` by `gap`. */
function scores(prefers: (i: number) => number, gap = 1, labelled = true) {
  const rows = Array.from({ length: 40 }, (_, i) => ({
    status: 'ok' as const,
    id: `q${String(i).padStart(2, '0')}`,
    logits: [0, 1, 2].map((k) => (k === prefers(i) ? gap : 0)),
    logZ: 2,
    optionMass: 0.9,
    promptTokens: 5,
  }));
  const labels = Int32Array.from(rows, (_, i) => (labelled ? i % 2 : -1));
  return joinScores('quiz', null, new Map([['m', scoreTable(rows, labels)]]));
}

const found = (given: ReturnType<typeof scores>) => answerHealth(given, [], true).map(({ what }) => what);

describe('answerHealth', () => {
  it('says of a model that answers A whatever the question, with the share of such labels and the limits', () => {
    expect(
      answerHealth(
        scores(() => 0),
        [],
        true,
      ),
    ).toEqual([
      {
        dataset: 'quiz',
        model: 'm',
        what: 'answers A in 40 of 40 examples, where 50 % of the labels are (limits: over 90 %, and 25 points above the labels)',
      },
    ]);
    expect(
      answerHealth(
        scores(() => 2),
        [],
        false,
      )[0]?.what,
    ).toMatch(/^answers option 3 in 40 of 40 .*where 0 % of/);
  });

  it('holds an unlabelled data set against an even share', () => {
    expect(found(scores(() => 1, 1, false))[0]).toMatch(/^answers B in 40 of 40 examples \(limits/);
  });

  it('says nothing of a model that answers both, even if one of them nine times in ten', () => {
    expect(found(scores((i) => i % 2))).toEqual([]);
    expect(found(scores((i) => (i % 10 === 0 ? 1 : 0)))).toEqual([]);
  });

  it('says of replies that they state one number, or can hardly be read', () => {
    const replied = (confidence: (i: number) => number | null) => {
      const rows = Array.from({ length: 40 }, (_, i) => {
        const stated = confidence(i);
        const parsed =
          stated === null
            ? { verdict: 'no-answer' as const, answer: -1, confidence: Number.NaN }
            : { verdict: 'parsed' as const, answer: 0, confidence: stated };
        const base = { text: 'x', replyTokens: 1, ended: true, seed: 1, promptTokens: 5 };
        return { ...base, status: 'replied' as const, id: `q${i}#1`, parsed };
      });
      const asked = { way: { name: 'elicitation' }, targets: new Map([['m', { table: scoreTable(rows) }]]) };
      return answerHealth(
        scores((i) => i % 2),
        [asked] as never,
        true,
      ).map(({ what }) => what);
    };
    expect(replied((i) => (i < 37 ? 0 : i))).toEqual([
      'states 0 as its confidence in 37 of 40 replies, 4 values in all (limit: 80 %) (elicitation)',
    ]);
    expect(replied((i) => (i < 10 ? i : null))).toEqual([
      'only 10 of 40 replies could be read (limit: half) (elicitation)',
    ]);
    expect(replied((i) => i)).toEqual([]);
  });
});

describe('answerHealth of what targets were asked', () => {
  const asked = (rows: Parameters<typeof scoreTable>[0], section: object | null = null) =>
    answerHealth(
      scores(() => 0),
      [{ way: { name: 'way', section }, targets: new Map([['m', { table: scoreTable(rows) }]]) }] as never,
      true,
    ).map(({ what }) => what);
  /** Three options in three orders; the logit is highest for the option that `chosen` names in each order. */
  const rotated = (chosen: (i: number, order: number) => number) =>
    asked(
      Array.from({ length: 40 }, (_, i) => {
        const orders = [0, 1, 2].map((order) => [0, 1, 2].map((k) => (k === chosen(i, order) ? 1 : 0)));
        return { status: 'ok' as const, id: `q${i}`, logits: orders.flat(), logZ: 2, optionMass: 0.9, promptTokens: 5 };
      }),
      rotationSection,
    );

  it('says that answers follow a place, in place of the one letter that comes of it', () => {
    expect(rotated((_, order) => order % 3)).toEqual([
      'answers what stands in place 1 in 100 % of 120 orders of the options, where 33 % are expected; 0 % of 40 examples keep their answer in every order (limit: 25 points above what is expected)',
    ]);
    // An answer that follows the option is no matter of places: what is left is the one letter.
    expect(rotated(() => 0)).toEqual([expect.stringMatching(/^answers A in 40 of 40/)]);
  });

  it('says that the form writes the replies, and that confidences hardly differ', () => {
    const replies = (allowedMass: (i: number) => number, confidence: (i: number) => number) =>
      asked(
        Array.from({ length: 40 }, (_, i) => ({
          status: 'replied' as const,
          id: `q${i}`,
          text: 'x',
          replyTokens: 1,
          ended: true,
          seed: 1,
          promptTokens: 5,
          parsed: { verdict: 'parsed' as const, answer: 0, confidence: confidence(i) },
          allowedMass: allowedMass(i),
        })),
      ).slice(1);
    expect(
      replies(
        (i) => (i < 30 ? 0.0421 : 0.9),
        (i) => 2 * i,
      ),
    ).toEqual([
      'gives the replies that their form allows a median probability of 0.042, in 30 of 40 replies under 0.1: the form writes them rather than the model (limit: 0.5) (way)',
    ]);
    expect(
      replies(
        () => 0.8,
        (i) => 90 + (i % 3),
      ),
    ).toEqual([
      'states confidences that hardly differ: 3 values in all, a standard deviation of 0.82 (limit of the standard deviation: 3 points) (way)',
    ]);
  });
});

describe('nearTies', () => {
  it('counts the examples whose two best options lie within a gap', () => {
    const model = scores((i) => i % 2, 0.25).models.get('m');
    if (model === undefined) throw new Error('no scores');
    expect([nearTies(model, 0.2), nearTies(model, 0.25)]).toEqual([0, 40]);
  });
});
