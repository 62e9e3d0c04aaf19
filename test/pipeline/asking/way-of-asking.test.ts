import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANSWER_METHODS } from '../../../src/calibration/methods.js';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelFacts, Scorer } from '../../../src/contract/scorer.js';
import { alignAsked } from '../../../src/pipeline/asking/asked-scores.js';
import { plainWork } from '../../../src/pipeline/asking/estimated-work.js';
import type { WayOfAsking } from '../../../src/pipeline/asking/way-of-asking.js';
import { WAYS_OF_ASKING } from '../../../src/pipeline/asking/ways-of-asking.js';
import { askedDiagnostics } from '../../../src/pipeline/collect/asked-diagnostics.js';
import { collectScores } from '../../../src/pipeline/collect/collect-scores.js';
import { estimateWork } from '../../../src/pipeline/estimate/estimate-work.js';
import { alignTarget } from '../../../src/pipeline/join/align-target.js';
import { scoreMissing } from '../../../src/pipeline/score/score-missing.js';
import { allEntries, planScores } from '../../../src/pipeline/score/score-plan.js';
import { openWorkspace } from '../../../src/pipeline/workspace/load-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';

const SHOUT = 'shouted';

/** A way of asking of the test's own: the plain prompts in capitals, for targets where the suite has DACA. */
const shouted: WayOfAsking = {
  name: SHOUT,
  asks: 'targets',
  methodsNeeding: (methods) => methods.filter((name) => name === 'daca'),
  render({ forms }) {
    const prompts = [...forms.values()].flat().map((prompt) => ({ ...prompt, text: prompt.text.toUpperCase() }));
    return { promptsOf: () => ({ prompts, evaluated: prompts }), refusals: ['it is loud'] };
  },
  scoringMode: () => SHOUT,
  importable: false,
  missingBesideImport: 'nobody shouted',
  facts: {},
  finishRows: (_prompts, plainScores) => async (rows) => {
    const { ids } = await plainScores();
    return rows.filter(({ id }) => ids.includes(id));
  },
  replies: () => null,
  estimate: (size) => ({ ...plainWork(size), evaluatedTokens: 7 * size.rows }),
  answers: {
    label: 'shouts',
    noun: 'scores',
    join: (ids, { table }) => ({
      table,
      facts: {},
      rowOfExample: Int32Array.from(ids, (id) => (id === 'w001' ? -1 : table.ids.indexOf(id))),
      missing: [{ example: 'w001', reason: 'nobody listened' }],
    }),
    inputs: ({ table }) => ({ rotationLogits: table.logits }),
  },
  section: {
    build: (datasets) => ({
      rotations: datasets.flatMap(({ asked }) =>
        asked.flatMap(({ way, targets }) =>
          way.name === SHOUT ? [...targets.keys()].map((target) => ({ target }) as never) : [],
        ),
      ),
    }),
    warnings: ({ rotations = [] }) => rotations.map(({ target }) => `${target} was shouted at`),
  },
};

const logitsOf = ({ text, continuations }: ExamplePrompt) =>
  continuations.map((_, k) => (text === text.toUpperCase() ? 10 : 1) + k);

/** A scorer without models. */
const scorer: Scorer = async (jobs) => {
  const facts = { warnings: [] } as unknown as ModelFacts;
  for (const { jobs: parts } of jobs) {
    for (const { prompts, onRows } of parts) {
      const rows = prompts.map((prompt): ScoredRow => {
        const logits = Float32Array.from(logitsOf(prompt));
        return { status: 'ok', id: prompt.id, logits, logZ: 1, optionMass: 0.5, promptTokens: 3 };
      });
      await onRows(rows, facts);
    }
  }
  return jobs.map(({ model }) => ({ kind: 'done', model: model.id, facts, seconds: 1, tokens: 1 }));
};

/** The demo models with a suite that has DACA, asked in one more way. */
async function workspaceOf() {
  const made = quizWorkspace();
  const models = readFileSync(made.options.models, 'utf8');
  const methods = 'methods: [vanilla, daca], combinationSizes';
  writeFileSync(made.options.models, models.replace('combinationSizes', methods));
  return openWorkspace({ ...made.options, out: made.file('out') }, { ways: [...WAYS_OF_ASKING, shouted] });
}

describe('a way of asking that is one record', () => {
  it('is planned for the targets whose methods need it, under a name of its own', async () => {
    const plans = await planScores(await workspaceOf(), 'cpu');
    const open = plans.flatMap((plan) =>
      allEntries(plan).flatMap(({ way, entry }) =>
        way === SHOUT && entry.kind === 'open' ? [{ model: plan.model.id, name: entry.key.name }] : [],
      ),
    );
    expect(open).toEqual([{ model: 'target', name: expect.stringMatching(/^target--quiz--shouted-/) }]);
  });

  it('is costed: by its prompts where these are here, by its own rule where only sizes are known', async () => {
    const workspace = await workspaceOf();
    const target = workspace.suite.targets[0]!.target;
    const size = { dataset: 'quiz', state: 'here' as const, rows: 100, promptTokens: 5, longestTokens: 9, options: 4 };
    const facts = () => ({ counted: [], vocabulary: undefined, asked: new Set<string>() });
    const rows = (ways: typeof workspace.ways) => estimateWork({ ...workspace, ways }, [size], target, facts())!.rows;
    expect(rows(workspace.ways)).toBe(2 * rows(WAYS_OF_ASKING));
    const absent = { ...workspace, datasets: workspace.datasets.map((each) => ({ ...each, content: null })) };
    expect(estimateWork(absent, [size], target, facts())!.evaluatedTokens).toBe(100 * 5 + 7 * 100);
  });

  it('is scored, kept, joined to the examples, handed to the methods, and has its part of the diagnostics', async () => {
    const workspace = await workspaceOf();
    const run = { workspace, device: 'cpu' as const, events: {}, signal: new AbortController().signal, scorer };
    expect(await scoreMissing(run, await planScores(workspace, 'cpu'))).toEqual(new Map());
    const plans = await planScores(workspace, 'cpu');
    expect(plans.flatMap((plan) => allEntries(plan)).every(({ entry }) => entry.kind === 'ready')).toBe(true);

    const collected = collectScores(workspace, workspace.datasets[0]!, plans, new Map());
    expect(collected.skipped).toEqual([
      { dataset: 'quiz', model: 'target', example: 'w001', reason: 'shouts: nobody listened' },
    ]);
    expect(collected.warnings.join()).toContain('left out (daca), it is loud');

    const aligned = alignTarget(workspace.suite.targets[0]!, collected.scores);
    if ('reason' in aligned) throw new Error(aligned.reason);
    expect(aligned.rowOfExample[1]).toBe(-1);
    const { inputs, ways } = alignAsked(collected.asked, 'target', { ...aligned, ids: collected.scores.ids });
    expect([ways, Array.from(inputs.rotationLogits!.values.subarray(0, 4))]).toEqual([[SHOUT], [10, 11, 12, 13]]);
    expect(askedDiagnostics(workspace, [collected])).toEqual({
      diagnostics: { rotations: [{ target: 'target' }] },
      warnings: ['target was shouted at'],
    });
  });
});

describe('the table of ways of asking', () => {
  it('has one for everything that an answer method needs, each under a name of its own, plain prompts first', () => {
    const names = WAYS_OF_ASKING.map(({ name }) => name);
    expect([names[0], new Set(names).size]).toEqual(['plain', names.length]);
    const needed = ANSWER_METHODS.map(({ needs }) => needs).filter((needs) => needs !== 'own-base');
    expect(new Set(needed)).toEqual(new Set(names.slice(1)));
  });
});
