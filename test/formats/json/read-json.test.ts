import { expect, it } from 'vitest';
import { readJson } from '../../../src/formats/json.js';
import { FaultList } from '../../../src/formats/row/fault-list.js';
import { standardInput } from '../../../src/formats/text/byte-stream.js';

it('hands few long rows on as soon as they hold the text of a batch', async () => {
  const text = JSON.stringify(Array.from({ length: 5 }, () => ({ text: 'x'.repeat(60) })));
  const chunks = (async function* () {
    yield text;
  })();
  const batches: number[][] = [];
  for await (const batch of readJson(standardInput(chunks), new FaultList(), { batchBytes: 100 }))
    batches.push(batch.map(({ number }) => number));
  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
});
