import type { LabelToken, SpacingCheck } from '../../contract/inspection.js';
import { encodePrompt } from '../encode/encode-prompt.js';
import type { ModelFraming } from '../frame/frame-model.js';
import type { LoadedModel } from '../protocol/backend.js';
import type { WirePrompt } from '../protocol/protocol.js';

const EXAMPLE: WirePrompt = {
  id: 'example',
  text: 'Question: What?\nA. this\nB. that\nAnswer:',
  mode: 'letter',
  continuations: ['A', 'B'],
  answerPrefix: null,
};

/** A longer prompt takes seconds to tokenise, and says no more. */
const MOST_CHARACTERS = 65_536;

/** Compares both spellings after the first letter-mode prompt of the data sets, else after a made-up one. */
export function spacingCheck(
  model: LoadedModel,
  { frame, bosId }: ModelFraming,
  jobs: readonly (readonly WirePrompt[])[],
): SpacingCheck {
  const firsts = jobs.flatMap((prompts) => prompts.slice(0, 1));
  const usual = ({ mode, text }: WirePrompt) => mode === 'letter' && text.length <= MOST_CHARACTERS;
  const prompt = firsts.find(usual) ?? EXAMPLE;
  const label = (answerPrefix: string | null): LabelToken => {
    const encoded = encodePrompt({ ...prompt, answerPrefix }, frame, bosId, model.tokenize);
    if (encoded.kind === 'refused') return { refused: encoded.reason };
    return { id: encoded.optionIds[0]!, piece: model.detokenize([encoded.optionIds[0]!]) };
  };
  return { withSpace: label(' '), withoutSpace: label(''), used: label(prompt.answerPrefix) };
}
