import { expect, it } from 'vitest';
import { ReplacedIds } from '../../../src/pipeline/predict/replaced-ids.js';

const notesOf = (...ids: readonly (readonly [string, 'id' | 'number' | null])[]) => {
  const replaced = new ReplacedIds();
  for (const [id, by] of ids) replaced.add(id, by === null ? null : { wanted: 'nr', by });
  return replaced.notes();
};
const lacking = '1 of 2 rows have no usable id in the field "nr": their answers have the number of the row as their id';

it('says that a number in place of an id can be the id of another row, where ids are whole numbers', () => {
  expect(notesOf(['2', null], ['2', 'number'])).toEqual([`${lacking}, which can be the id of another row as well`]);
  expect(notesOf(['2', 'id'], ['2', 'number'])).toContain(`${lacking}, which can be the id of another row as well`);
  expect(notesOf(['q2', null], ['2', 'number'])).toEqual([lacking]);
  expect(notesOf(['2', null], ['3', null])).toEqual([]);
});
