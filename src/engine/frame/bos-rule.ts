import { SupportCalError } from '../../errors/supportcal-error.js';
import type { ModelInfo } from '../protocol/backend.js';

export interface BosDecision {
  readonly add: boolean;
  readonly reason: string;
}

/**
 * Whether a start token is put before a prompt. An override of models.yaml decides first, then the key
 * `tokenizer.ggml.add_bos_token` of the file. Without the key: spm and wpm vocabularies get one, bpe follows
 * llama.cpp's default for its pre-tokenizer, every other type gets none.
 *
 * @throws SupportCalError model-load when models.yaml asks for a start token that the file does not have
 */
export function bosRule(
  mode: 'auto' | 'always' | 'never',
  info: Pick<ModelInfo, 'bos' | 'addBosKey' | 'addBosDefault' | 'vocabularyType'>,
): BosDecision {
  if (mode === 'never') return { add: false, reason: 'models.yaml says never' };
  if (mode === 'always' && (info.bos === null || info.bos.text === '')) throw noStartToken(info.bos);
  if (info.bos === null) return { add: false, reason: 'the file names no start token' };
  if (mode === 'always') return { add: true, reason: 'models.yaml says always' };
  if (info.addBosKey !== null)
    return { add: info.addBosKey, reason: `the file says add_bos_token = ${info.addBosKey}` };
  return withoutKey(info.vocabularyType, info.addBosDefault);
}

function withoutKey(type: string, llamaDefault: boolean): BosDecision {
  const missing = `the file lacks add_bos_token; rule for ${type} vocabularies`;
  if (type === 'spm' || type === 'wpm') return { add: true, reason: `${missing}: yes` };
  if (type === 'bpe')
    return { add: llamaDefault, reason: `${missing}: llama.cpp's default (${llamaDefault ? 'yes' : 'no'})` };
  return { add: false, reason: `${missing}: no` };
}

function noStartToken(bos: ModelInfo['bos']): SupportCalError {
  const why =
    bos === null
      ? 'names no start token of its vocabulary (tokenizer.ggml.bos_token_id)'
      : `names token ${bos.id} as its start token, which has no text`;
  return new SupportCalError(
    'model-load',
    `models.yaml says \`bos: always\`, but the file ${why}. Use \`bos: auto\` or \`never\`, or another file`,
  );
}
