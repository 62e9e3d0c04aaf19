import { describe, expect, it } from 'vitest';
import { scoreTable } from '../../../src/cache/table/score-table.js';
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

describe('nearTies', () => {
  it('counts the examples whose two best options lie within a gap', () => {
    const model = scores((i) => i % 2, 0.25).models.get('m');
    if (model === undefined) throw new Error('no scores');
    expect([nearTies(model, 0.2), nearTies(model, 0.25)]).toEqual([0, 40]);
  });
});
