import { describe, expect, it } from 'vitest';
import type { EncodedReply } from '../../../src/engine/encode/encode-reply.js';
import { type TokenTree, tokenTree } from '../../../src/engine/protocol/token-tree.js';
import { replyGroups } from '../../../src/engine/rows/evaluate-replies.js';

const formOf = (...texts: string[]) =>
  tokenTree(texts.map((text) => ({ text, tokens: [...text].map((each) => each.charCodeAt(0)) })));
const reply = (id: string, form: TokenTree | null, maxTokens = 9) =>
  ({ kind: 'reply', id, tokens: Uint32Array.of(1, 2), request: { maxTokens }, form, longest: 1 }) as EncodedReply;

describe('replyGroups', () => {
  it('takes prompts together whose tokens are the same, and only where the same replies are allowed', () => {
    const [two, three] = [formOf('A', 'B'), formOf('A', 'B', 'C')];
    const replies = [reply('a', two), reply('b', three), reply('c', two), reply('d', null), reply('e', two, 8)];
    const groups = replyGroups(replies, (each) => each).map((group) => group.map(({ id }) => id));
    expect(groups).toEqual([['a', 'c'], ['b'], ['d'], ['e']]);
  });
});
