import type { LlamaModel } from 'node-llama-cpp';
import { steersModel } from '../frame/plain-tokenizer.js';
import type { ControlToken } from '../protocol/backend.js';

export interface SpecialTokens {
  /** Tokens that a template may write and data must not. */
  readonly control: readonly ControlToken[];
  /** Those among them that llama.cpp reads out of plain text all the same. */
  readonly steering: readonly ControlToken[];
  /** Whether a token that is read out of plain text takes the white space after it. */
  readonly strips: boolean;
}

export function specialTokens(model: LlamaModel, chatTemplate: string | null): SpecialTokens {
  const control: ControlToken[] = [];
  const steering: ControlToken[] = [];
  let strips = false;
  for (const id of model.iterateAllTokens()) {
    const attributes = model.getTokenAttributes(id);
    if (!attributes.control && !attributes.unknown && !attributes.userDefined) continue;
    const text = model.detokenize([id], true);
    const token = { id, text, stripsLeft: attributes.lstrip, stripsRight: attributes.rstrip };
    if (attributes.userDefined && attributes.rstrip) strips = true;
    if (attributes.control || attributes.unknown) control.push(token);
    else if (steersModel(text, chatTemplate)) {
      control.push(token);
      steering.push(token);
    }
  }
  return { control, steering, strips };
}
