/** A room of `src` whose lines are changed, and what is to notice. */
export interface Area {
  readonly folder: string;
  /** Patterns of the test files that run; those that start processes or fill disks take too long for every mutant. */
  readonly tests: readonly string[];
  /** Share of the mutants that is drawn, so that an area takes some minutes of one core. */
  readonly share: number;
  /** Least share of the drawn mutants that a test must notice. */
  readonly bar: number;
  /** Tests that replace modules for themselves need modules of their own. */
  readonly isolate: boolean;
}

const MATHEMATICS = { bar: 0.85, isolate: false };

export const AREAS: readonly Area[] = [
  { folder: 'numeric', tests: ['test/numeric/**/*.test.ts'], share: 0.12, ...MATHEMATICS },
  { folder: 'metrics', tests: ['test/metrics/**/*.test.ts'], share: 0.12, ...MATHEMATICS },
  { folder: 'calibration', tests: ['test/calibration/**/*.test.ts'], share: 0.05, ...MATHEMATICS },
  { folder: 'inference', tests: ['test/inference/**/*.test.ts'], share: 0.05, ...MATHEMATICS },
  { folder: 'engine/encode', tests: ['test/engine/encode/**/*.test.ts'], share: 0.12, bar: 0.75, isolate: false },
  { folder: 'files', tests: ['test/files/**/*.test.ts'], share: 0.12, bar: 0.75, isolate: true },
  {
    folder: 'cache',
    tests: ['test/cache/**/!(concurrency|memory|scarce-disk|kill-points|range-takeover).test.ts'],
    share: 0.05,
    bar: 0.75,
    isolate: true,
  },
];
