import { BROWSING } from './browsing.js';
import { COPYING } from './copying.js';
import { FILTERING } from './filtering.js';
import { SORTING } from './sorting.js';
import { TABLES } from './tables.js';
import { UNFOLDING } from './unfolding.js';

/**
 * The page's only script. It reads and moves what the page already shows, and makes elements of the data in it, whose
 * texts it sets as text: it makes no markup out of text.
 */
export const PAGE_SCRIPT = `'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
${SORTING}${TABLES}${FILTERING}${UNFOLDING}${BROWSING}${COPYING}})();
`;
