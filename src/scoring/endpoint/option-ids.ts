import { optionTokens } from '../../engine/encode/option-tokens.js';
import type { ServedApi } from './api/served-api.js';
import { EndpointFault } from './endpoint-fault.js';

/** The tokens of K options that may follow a text. */
export type OptionIds = (text: string, labels: readonly string[]) => Promise<readonly number[]>;

/** So many different endings of prompts are remembered: in letter mode there is one for a data set, or one for a K. */
const REMEMBERED = 1000;

/**
 * Token ids of options as the server itself tokenises them: each label after the last line of the prompt, where it
 * must be exactly one further token. They are asked for once for all prompts that end alike.
 *
 * @throws EndpointFault (row) when a label is no single token of its own there
 */
export function optionIds(tokenize: NonNullable<ServedApi['tokenize']>): OptionIds {
  const known = new Map<string, Promise<readonly number[]>>();
  return (text, labels) => {
    const ending = lastLine(text);
    const key = JSON.stringify([ending, ...labels]);
    const found = known.get(key) ?? askFor(tokenize, ending, labels);
    if (!known.has(key) && known.size < REMEMBERED) known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  };
}

/** The last line that holds something, with what follows it. */
function lastLine(text: string): string {
  return text.slice(text.trimEnd().lastIndexOf('\n') + 1);
}

async function askFor(tokenize: NonNullable<ServedApi['tokenize']>, ending: string, labels: readonly string[]) {
  const texts = [ending, ...labels.map((label) => ending + label)];
  const spans = new Map<string, number[]>();
  for (const text of new Set(texts)) spans.set(text, [...(await tokenize(text, 'text-alone'))]);
  const found = optionTokens([], ending, labels, (text) => spans.get(text) ?? []);
  if (found.kind === 'refused') {
    // A chat prompt may leave nothing before the label, so there is no token to score after in this part of it.
    const alone = labels.map((label) => spans.get(ending + label) ?? []);
    if (ending !== '' || alone.some(({ length }) => length !== 1)) throw new EndpointFault('row', found.reason);
    return distinct(alone.flat(), labels);
  }
  const before = spans.get(ending) ?? [];
  if (before.length !== found.tokens.length || before.some((id, i) => id !== found.tokens[i])) {
    throw new EndpointFault(
      'row',
      `the label ${JSON.stringify(labels[0])} merges with the end of the prompt into one token of the server; ` +
        'give the data set another `answerPrefix`',
    );
  }
  return found.optionIds;
}

function distinct(ids: readonly number[], labels: readonly string[]): readonly number[] {
  const twin = ids.findIndex((id, k) => ids.indexOf(id) !== k);
  if (twin >= 0) throw new EndpointFault('row', `option ${JSON.stringify(labels[twin])} shares its token with another`);
  return ids;
}
