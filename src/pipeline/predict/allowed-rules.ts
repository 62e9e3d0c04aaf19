import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';
import { promptDifferences, promptSettings } from '../workspace/prompt-settings.js';
import type { AnswerRules } from './answer-question.js';
import { modelFaults } from './model-faults.js';
import type { ScoringModel } from './question-scorer.js';
import type { QuestionSettings } from './question-settings.js';

export interface RuleChoices {
  /** Take the temperature though the model file, or the prompt, is not the one that it was fitted with. */
  readonly allowOtherModel?: boolean;
  readonly allowOtherPrompt?: boolean;
  /** Questions with a lower confidence are marked `abstain`. */
  readonly abstainBelow?: number;
}

interface Asked {
  readonly settings: QuestionSettings;
  readonly options: RuleChoices;
  readonly events: Pick<PipelineEvents, 'onLog'>;
}

/** Throws what speaks against the use of the temperature; what was allowed all the same is said of the answers. */
export function allowedRules(
  artefact: CalibrationArtefact,
  { settings, options, events }: Asked,
  found: ScoringModel['found'] | { readonly reason: string },
): AnswerRules {
  const { model } = settings;
  if ('reason' in found) throw new SupportCalError('bad-input', { file: model.file, message: found.reason });
  const other = modelFaults(artefact, model, found);
  const faults = [
    ...(options.allowOtherModel ? [] : other),
    ...(options.allowOtherPrompt ? [] : promptFaults(artefact, settings)),
  ];
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  for (const { file, message } of other)
    events.onLog?.('warn', `${file}: ${message.replace(/;.*/s, '')}: confidences may be off; check with labels`);
  const { abstainBelow } = options;
  return { otherModel: other.length > 0, ...(abstainBelow !== undefined && { abstainBelow }) };
}

function promptFaults({ prompt }: CalibrationArtefact, { spec, shots, model }: QuestionSettings): Fault[] {
  const own = promptSettings(spec, shots, model);
  if (own === null || own.hash === prompt?.hash) return [];
  const flag = 'export again, or use the temperature all the same with --allow-other-prompt';
  const differences =
    prompt === null
      ? ['the artefact does not say how its questions were put']
      : promptDifferences(prompt.settings, own.settings);
  return differences.map((each) => ({
    file: spec.file,
    field: 'prompt',
    message: `questions are put in another way than those of the artefact (${each}); ${flag}`,
  }));
}
