import { SupportCalError } from '../errors/supportcal-error.js';
import type { ModelInfo } from './backend.js';

/**
 * Refuses a byte-pair vocabulary whose file does not say how text is cut before merging: llama.cpp then falls back to a
 * cut that is wrong for nearly every model (numbers above three digits split elsewhere, for example), with a warning only.
 */
export function checkPreTokenizer(info: Pick<ModelInfo, 'tokenizerModel' | 'preTokenizer'>): void {
  if (info.tokenizerModel !== 'gpt2' || (info.preTokenizer ?? '') !== '') return;
  throw new SupportCalError(
    'model-load',
    'the file lacks tokenizer.ggml.pre, so nobody knows how its vocabulary cuts text. Convert the model again with a ' +
      'current llama.cpp, or say it in models.yaml with `scoring: { preTokenizer: NAME }` (such as llama-bpe or qwen2)',
  );
}
