import type { PaperTable } from '../../table/paper-table.js';
import { html, type Markup } from '../page/markup.js';

/** What the words of the tables mean, one click away. */
export function howToRead(tables: readonly PaperTable[]): Markup {
  return html`<details class="prose"><summary>How to read this</summary>
<p><b>ECE</b> (expected calibration error): at 10 pp a model that says 80 % is right about 70 % (or 90 %) of the time.</p>
<p><b>Vanilla</b> is the model as it is. <b>DACA</b> fits its temperature to the own base on the questions on which both agree; <b>SupportCal (M)</b> adds the disagreements, weighted by how much the base and M reference models support the answer of the target. <b>Oracle TS</b> fits to the labels of the calibration split: something to compare with, not a competitor, and no lower bound of ECE.</p>
<p>Cells are mean ± SE over splits of the same questions; pointing at a cell shows its interval, its total standard error, and what a calibrated model would show. <b>Bold</b> are the label-free methods that cannot be told from the best of their row. Look at the gain of accuracy beside the ECE: every label-free temperature makes the model about as unsure as its own base, which fits less the more accuracy post-training gained.</p>${experimentalNote(tables)}</details>`;
}

function experimentalNote(tables: readonly PaperTable[]): Markup | null {
  const methods = tables.flatMap(({ columns }) => columns.map(({ method }) => method));
  if (!methods.some((method) => method === 'confidence-matched' || method === 'accuracy-matched')) return null;
  return html`<p><b>(exp.)</b> marks experimental methods, not of the paper. They set the mean confidence to that of the own base (Conf.-matched), or to that plus the gain of accuracy that the probabilities of all references suggest (Acc.-matched).</p>`;
}
