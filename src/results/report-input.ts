import type { Diagnostics } from './diagnostics-schema.js';
import type { Answers } from './examples/answers-schema.js';
import type { Examples } from './examples/examples-schema.js';
import type { RunManifest } from './manifest-schema.js';
import type { Results } from './results-schema.js';

/** What a report is made of: the documents that the calibrate stage wrote. */
export interface ReportInput {
  readonly results: Results;
  readonly diagnostics: Diagnostics;
  /** null for a run of an earlier version, which has no examples.json. */
  readonly examples: Examples | null;
  /** null for a run of an earlier version, which has no answers.json. */
  readonly answers: Answers | null;
  readonly manifest: RunManifest | null;
}
