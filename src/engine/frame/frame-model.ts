import { SupportCalError } from '../../errors/supportcal-error.js';
import type { LoadedModel, ModelInfo } from '../protocol/backend.js';
import type { WorkerPlan } from '../protocol/protocol.js';
import { type BosDecision, bosRule } from './bos-rule.js';
import { renderTemplate } from './chat-template.js';
import { chatFrame, type PromptFrame, RAW_FRAME } from './prompt-frame.js';

/** How this model's prompts begin and end; settled before any prompt is tokenised. */
export interface ModelFraming {
  readonly frame: PromptFrame;
  readonly bos: BosDecision;
  /** Start token to put first, or null. */
  readonly bosId: number | null;
}

/**
 * Fails with `model-load` when a chat prompt is asked of a file without a template, or its pre-tokenizer is unknown.
 */
export function frameModel(
  plan: Pick<WorkerPlan, 'prompt' | 'bos' | 'assistantPrefix'>,
  model: LoadedModel,
): ModelFraming {
  checkPreTokenizer(model.info);
  const bos = bosRule(plan.bos, model.info);
  const bosId = bos.add ? model.info.bos!.id : null;
  if (plan.prompt === 'raw') return { frame: RAW_FRAME, bos, bosId };
  const template = model.info.chatTemplate;
  if (template === null) {
    throw new SupportCalError(
      'model-load',
      'models.yaml says `prompt: chat`, but the file has no chat template (tokenizer.chat_template). ' +
        'Use `prompt: raw` or another file',
    );
  }
  const rendered = renderTemplate(template, model.info.bos?.text ?? '', model.info.eosText, plan.assistantPrefix);
  const frame = chatFrame(rendered, model.controlTokens(), plan.assistantPrefix);
  const first = frame.parts[0];
  const written = first?.kind === 'control' && first.token.id === model.info.bos?.id;
  return written
    ? { frame, bos: { add: true, reason: 'the chat template writes it' }, bosId: null }
    : { frame, bos, bosId };
}

/**
 * Refuses a byte-pair vocabulary whose file does not say how text is cut before merging: llama.cpp then falls back to a
 * cut that is wrong for nearly every model (numbers above three digits split elsewhere, for example), with a warning
 * only.
 */
function checkPreTokenizer(info: Pick<ModelInfo, 'tokenizerModel' | 'preTokenizer'>): void {
  if (info.tokenizerModel !== 'gpt2' || (info.preTokenizer ?? '') !== '') return;
  throw new SupportCalError(
    'model-load',
    'the file lacks tokenizer.ggml.pre, so nobody knows how its vocabulary cuts text. Convert the model again with a ' +
      'current llama.cpp, or say it in models.yaml with `scoring: { preTokenizer: NAME }` (such as llama-bpe or qwen2)',
  );
}
