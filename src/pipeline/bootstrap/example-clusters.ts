import type { AlignedTarget } from '../join/align-target.js';
import type { DatasetScores } from '../join/dataset-scores.js';

/** What a bootstrap draws: examples, copies of one another together. */
export interface ExampleClusters {
  readonly count: number;
  /** The cluster of every row of a list of rows of the target's blocks; a list that comes again is looked up once. */
  readonly ofTarget: (aligned: Pick<AlignedTarget, 'rowOfExample'>) => (rows: Int32Array) => Int32Array;
}

/** Which examples are clustered: all, or the labelled ones alone, of which alone metrics are made. */
export type ClusteredExamples = 'all' | 'labelled';

/** Clusters the examples of a data set by their content. */
export function exampleClusters(
  scores: Pick<DatasetScores, 'labels' | 'contentHashes'>,
  which: ClusteredExamples = 'labelled',
): ExampleClusters {
  const { ofExample, count } = clusterExamples(scores, which);
  return {
    count,
    ofTarget({ rowOfExample }) {
      const clusterOfRow = new Int32Array(rowOfExample.length);
      for (let i = 0; i < rowOfExample.length; i++) {
        const row = rowOfExample[i] ?? -1;
        if (row !== -1) clusterOfRow[row] = ofExample[i] ?? -1;
      }
      const known = new Map<Int32Array, Int32Array>();
      return (rows) => {
        const clusters = known.get(rows) ?? rows.map((row) => clusterOfRow[row]!);
        known.set(rows, clusters);
        return clusters;
      };
    },
  };
}

function clusterExamples(
  { labels, contentHashes }: Pick<DatasetScores, 'labels' | 'contentHashes'>,
  which: ClusteredExamples,
) {
  const ofExample = new Int32Array(labels.length).fill(-1);
  const known = new Map<string, number>();
  let count = 0;
  for (let i = 0; i < labels.length; i++) {
    if (which === 'labelled' && labels[i] === -1) continue;
    const hash = contentHashes?.[i];
    const cluster = (hash === undefined ? undefined : known.get(hash)) ?? count++;
    ofExample[i] = cluster;
    if (hash !== undefined) known.set(hash, cluster);
  }
  return { ofExample, count };
}
