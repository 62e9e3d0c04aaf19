import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { listEntries } from '../../../src/cache/list-entries.js';
import type { Scorer } from '../../../src/contract/scorer.js';
import { pruneCache } from '../../../src/pipeline/prune-cache.js';
import { plainEntries, planScores } from '../../../src/pipeline/score/score-plan.js';
import { loadWorkspace } from '../../../src/pipeline/workspace/load-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';
import { pacedScorer, sharedRun } from './shared-runs.js';

/** A scorer on a machine where so many sequences fit, and no more. */
function scorerWith(room: number) {
  const asked: string[] = [];
  const { scorer: all } = pacedScorer({ batch: 4, pause: async () => {} });
  const scorer: Scorer = async (jobs, settings, events) => {
    const outcomes = [];
    for (const job of jobs) {
      const { id, role, scoring } = job.model;
      asked.push(`${role} ${scoring?.sequences ?? 'default'}`);
      const tooMany = role === 'base' && (scoring?.sequences ?? 64) > room;
      const failed = { kind: 'failed', model: id, reason: `${room} fit`, fits: room } as const;
      if (tooMany) events.onModelEnd?.(failed);
      outcomes.push(...(tooMany ? [failed] : await all([job], settings, events)));
    }
    return outcomes;
  };
  return { scorer, asked };
}

const { options, file } = quizWorkspace();
const sequencesOf = async () => {
  const entries = await listEntries(options.cache);
  return entries.map(({ key }) => (key?.kind === 'scored' && 'settings' in key ? key.settings.sequences : 'none'));
};

describe('a model of which fewer sequences fit into memory', () => {
  const ends: string[] = [];
  const warnings: string[] = [];
  const events = {
    onModelEnd: ({ kind, model }: { kind: string; model: string }) => void ends.push(`${model} ${kind}`),
    onLog: (level: string, message: string) => void warnings.push(`${level}: ${message}`),
  };
  let first: ReturnType<typeof scorerWith>;
  beforeAll(async () => {
    first = scorerWith(16);
    expect(await sharedRun(options, first.scorer, { events })).toEqual(new Map());
  });

  it('is scored with these at once, under the key of their number, and a warning says so', async () => {
    expect(new Set(first.asked)).toEqual(new Set(['base default', 'base 16', 'post-trained default']));
    expect(ends.filter((end) => end.endsWith('failed'))).toEqual([]);
    expect(new Set(await sequencesOf())).toEqual(new Set([16, null]));
    expect(warnings[0]).toBe('warn: 16 fit; it is scored so, now and in later runs');
  });

  it('is found by later runs, whatever is free then, and kept by prune', async () => {
    const { scorer, asked } = scorerWith(64);
    expect(await sharedRun(options, scorer)).toBeNull();
    expect(asked).toEqual([]);
    const { entries } = await pruneCache({ ...options, remove: true });
    expect(entries).toEqual([]);
  });

  it('gets still fewer where that is needed, without a trial of more', async () => {
    const { scorer, asked } = scorerWith(4);
    const longer = { ...options, limit: 8 };
    expect(await sharedRun(longer, scorer)).toEqual(new Map());
    expect(new Set(asked)).toEqual(new Set(['base 16', 'base 4', 'post-trained default']));
    expect(Object.values(JSON.parse(readFileSync(file('cache/lowered.json'), 'utf8')))).toContainEqual([16, 4]);
    expect(await sharedRun(longer, scorer)).toBeNull();
    expect(await sharedRun(options, scorer)).toBeNull();
  });

  it('is read as --refresh scored it, not as it was scored before', async () => {
    const { options } = quizWorkspace();
    const shapes = async () => {
      const plans = await planScores(await loadWorkspace(options), 'cpu');
      const base = plans.find(({ model }) => model.role === 'base');
      return [...plainEntries(base ?? { entries: new Map() }).values()].map((entry) =>
        entry.kind === 'ready' ? /"sequences":(16|null)/.exec(JSON.stringify(entry.manifest))?.[1] : entry.kind,
      );
    };
    await sharedRun(options, scorerWith(64).scorer);
    expect(new Set(await shapes())).toEqual(new Set(['null']));
    expect(await sharedRun({ ...options, refresh: true }, scorerWith(16).scorer)).toEqual(new Map());
    expect(new Set(await shapes())).toEqual(new Set(['16']));
  });
});
