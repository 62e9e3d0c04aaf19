import { BASE_STYLE } from './style/base-style.js';
import { DETAIL_STYLE } from './style/detail-style.js';
import { PLOT_STYLE } from './style/figure-style.js';
import { NARROW_STYLE } from './style/narrow-style.js';
import { OPENING_STYLE } from './style/opening-style.js';
import { PRINT_STYLE } from './style/print-style.js';
import { TABLE_STYLE } from './style/table-style.js';

/** The page's only style: what is narrow or printed comes last, since it changes the others. */
export const PAGE_STYLE = [
  ...[BASE_STYLE, OPENING_STYLE, TABLE_STYLE, PLOT_STYLE, DETAIL_STYLE],
  ...[NARROW_STYLE, PRINT_STYLE],
].join('');
