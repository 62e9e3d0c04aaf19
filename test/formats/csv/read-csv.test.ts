import { expect, it } from 'vitest';
import { readCsv } from '../../../src/formats/csv/read-csv.js';
import { FaultList } from '../../../src/formats/row/fault-list.js';
import { standardInput } from '../../../src/formats/text/byte-stream.js';

it('hands few long rows on as soon as they hold the text of a batch', async () => {
  const rows = Array.from({ length: 6 }, (_, n) => `${n},${'x'.repeat(60)}\n`);
  const file = standardInput(
    (async function* () {
      yield* ['id,text\n', ...rows];
    })(),
  );
  const batches: number[][] = [];
  for await (const batch of readCsv(file, new FaultList(), { delimiter: ',', batchBytes: 100 }))
    batches.push(batch.map(({ number }) => number));
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
});
