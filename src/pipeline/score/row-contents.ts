import type { RowContents } from '../../cache/content-rows.js';
import { KEY_SCHEMA_VERSION, type ScoredKeyIngredients } from '../../cache/key/entry-key.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import { sharedBeginning, sharesTooLittle } from '../../contract/shared-beginning.js';
import { contentHash } from '../../files/content-hash.js';

/**
 * What decides the scores of every row of an entry, so that rows are found again when others of the data set change;
 * null where a row may depend on its neighbours. The conditions are those under which a resumed run has the same bits:
 *
 * - a row is scored from its own prompt alone: options of other orders build on plain scores, and replies share
 *   prompts;
 * - the evaluation is exact in every company: on a CPU, where nobody chose how many prompts share a pass (what the run
 *   then found is in its manifest);
 * - what the rows share is the same: nothing is kept, since the prompts have too little in common, or the kept tokens
 *   follow from two prompts of the whole data set, which must be equal.
 */
export function rowContents(ingredients: ScoredKeyIngredients, prompts: readonly ExamplePrompt[]): RowContents | null {
  const { datasetHash: _rows, promptHash: _prompts, ...rest } = ingredients;
  if (ingredients.backend !== 'cpu' || (ingredients.settings.sequences ?? 1) !== 1) return null;
  const content = contentOf(prompts);
  if (content === null) return null;
  const { byId, pair, keepsNothing } = content;
  // The head of a chat template is shared, too.
  const sharing = keepsNothing && ingredients.promptMode === 'raw' ? NOTHING_KEPT : pair;
  return { rest: contentHash({ keySchemaVersion: KEY_SCHEMA_VERSION, ...rest }), sharing, sharedPair: pair, byId };
}

const NOTHING_KEPT = contentHash('no token is kept');

interface Content extends Pick<RowContents, 'byId'> {
  /** Hash of the two prompts that decide what is kept. */
  readonly pair: string;
  readonly keepsNothing: boolean;
}

/** One for all models that are asked the same. */
const known = new WeakMap<readonly ExamplePrompt[], { readonly content: Content | null }>();

function contentOf(prompts: readonly ExamplePrompt[]): Content | null {
  const found = known.get(prompts)?.content;
  if (found !== undefined) return found;
  const alone = prompts.every(({ mode }) => mode === 'letter' || mode === 'text');
  const shared = sharedBeginning(prompts);
  const content = alone
    ? {
        pair: contentHash(shared?.map(askedIn) ?? null),
        keepsNothing: sharesTooLittle(shared),
        byId: new Map(prompts.map((prompt) => [prompt.id, contentHash(askedIn(prompt))])),
      }
    : null;
  known.set(prompts, { content });
  return content;
}

/** All that is asked in a row: what it is called changes no score. */
function askedIn({ id: _id, ...asked }: ExamplePrompt): Omit<ExamplePrompt, 'id'> {
  return asked;
}
