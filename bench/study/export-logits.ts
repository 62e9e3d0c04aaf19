import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type RaggedRows, rowOf } from '../../src/numeric/ragged-rows.js';
import { alignAsked } from '../../src/pipeline/asking/asked-scores.js';
import { collectScores } from '../../src/pipeline/collect/collect-scores.js';
import { alignTarget } from '../../src/pipeline/join/align-target.js';
import { deviceOf } from '../../src/pipeline/score/open-for-scoring.js';
import { planScores } from '../../src/pipeline/score/score-plan.js';
import { openWorkspace } from '../../src/pipeline/workspace/load-workspace.js';

/**
 * Option logits of every target of a suite, its own base and its references, from the cache: one JSON line per data set
 * and target, for study.py. `rotations` (K x K numbers a row) only in a suite with a method of the CAPE kind.
 *
 *     npx tsx bench/study/export-logits.ts SUITE OUT.jsonl.gz [MODELS.yaml]   (after `npm run score -- --suite SUITE`)
 */
const [suite = 'demo', out = 'logits.jsonl.gz', models = 'models.yaml'] = process.argv.slice(2);
const workspace = await openWorkspace({
  suite,
  models,
  datasets: 'datasets',
  cache: 'cache',
  out: 'reports/study',
  gpu: 'off',
  refresh: false,
});
const plans = await planScores(workspace, await deviceOf(workspace));
const matrix = (rows: RaggedRows) => Array.from({ length: rows.rowCount }, (_, n) => Array.from(rowOf(rows, n)));
const lines = workspace.datasets.flatMap((each) => {
  const { scores, asked } = collectScores(workspace, each, plans, new Map());
  return workspace.suite.targets.map((target) => {
    const aligned = alignTarget(target, scores);
    if ('reason' in aligned) throw new Error(`${scores.dataset}, ${target.target.id}: ${aligned.reason}`);
    const { rotationLogits: rotated } = alignAsked(asked, target.target.id, { ...aligned, ids: scores.ids }).inputs;
    return JSON.stringify({
      dataset: scores.dataset,
      target: target.target.id,
      ownBase: target.ownBase.id,
      labels: Array.from(aligned.labels),
      targetLogits: matrix(aligned.targetLogits),
      ownBaseLogits: matrix(aligned.ownBaseLogits),
      rotations: rotated === null ? null : matrix(rotated),
      references: aligned.references.map(({ logits }) => matrix(logits)),
    });
  });
});
writeFileSync(out, gzipSync(`${lines.join('\n')}\n`));
process.stdout.write(`${lines.length} targets written to ${out}\n`);
