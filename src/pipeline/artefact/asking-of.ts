import { createHash } from 'node:crypto';
import type { ModelSpec } from '../../config/models-schema.js';
import type { ModelFacts } from '../../contract/scorer.js';
import { csvSettings } from '../../datasets/source/open-source.js';
import { variantOf } from '../asking/prompt-forms.js';
import type { ReadyEntry } from '../join/planned-entry.js';
import type { WorkspaceDataset } from '../workspace/workspace.js';
import type { Asking } from './asking-schema.js';

/** What an artefact says of how a target is asked on a data set. */
export interface AskedTarget {
  readonly dataset: WorkspaceDataset;
  readonly model: ModelSpec;
  /** The target's scores, where there are some. */
  readonly entry: ReadyEntry | null;
  /** What the vocabulary of the target makes of the labels. */
  readonly optionTokens: Asking['optionTokens'];
}

/** How new questions are read and put as those of the fit were; null: the data set has no fields or no prompt. */
export function askingOf({ dataset: { spec }, model, entry, optionTokens }: AskedTarget): Asking | null {
  const { id: _id, title: _title, size: _size, source, elicitation: _elicitation, variant: _own, ...rest } = spec.yaml;
  if (rest.fields === undefined || rest.prompt === undefined) return null;
  const { variants, ...plain } = rest.prompt;
  const variant = variantOf(spec.yaml, model);
  const changed = Object.entries(variant === null ? {} : (variants?.[variant] ?? {}));
  const prompt = { ...plain, ...Object.fromEntries(changed.filter(([, value]) => value !== undefined)) };
  const cells = typeof source === 'object' ? csvSettings(source) : {};
  // As JSON has it: what is undefined is not there.
  return JSON.parse(
    JSON.stringify({
      dataset: { ...rest, prompt },
      cells,
      frame: entry === null || entry.imported ? null : frameOf(entry.manifest.facts as ModelFacts),
      optionTokens,
    }),
  ) as Asking;
}

function frameOf({ architecture, bos, bosReason, chatTemplate, contextSize }: ModelFacts): Asking['frame'] {
  const chatTemplateSha256 = chatTemplate === null ? null : createHash('sha256').update(chatTemplate).digest('hex');
  return { architecture, bos, bosReason, chatTemplateSha256, contextSize };
}
