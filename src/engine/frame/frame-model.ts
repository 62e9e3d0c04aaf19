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
 * Fails with `model-load` when a chat prompt is asked of a file without a template, or with one that writes the start
 * token twice or although models.yaml says `never`, or its pre-tokenizer is unknown.
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
  if (startTokensOf(frame, model.info.bos) === 0) return { frame, bos, bosId };
  if (plan.bos === 'never') {
    throw new SupportCalError(
      'model-load',
      'models.yaml says `bos: never`, but the chat template of the file (tokenizer.chat_template) writes the start ' +
        `token ${JSON.stringify(model.info.bos?.text)}. Use \`bos: auto\`, or \`prompt: raw\` for this model`,
    );
  }
  return { frame, bos: { add: true, reason: 'the chat template writes it' }, bosId: null };
}

/**
 * How often a template begins with the start token, blanks before and between left aside: not at all or once.
 *
 * @throws SupportCalError model-load when it is more than once
 */
function startTokensOf({ parts }: PromptFrame, bos: ModelInfo['bos']): number {
  if (bos === null) return 0;
  const isStart = (part: PromptFrame['parts'][number]) => part.kind === 'control' && part.token.id === bos.id;
  const blank = (part: PromptFrame['parts'][number]) => part.kind === 'text' && part.text.trim() === '';
  const end = parts.findIndex((part) => !isStart(part) && !blank(part));
  const count = parts.slice(0, end < 0 ? parts.length : end).filter(isStart).length;
  if (count <= 1) return count;
  throw new SupportCalError(
    'model-load',
    `the chat template of the file (tokenizer.chat_template) writes the start token ${JSON.stringify(bos.text)} ` +
      `${count} times at the beginning; expected once, as the model was trained. Use \`prompt: raw\` for this model, ` +
      'or a file with another template',
  );
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
