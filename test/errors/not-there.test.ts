import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { notThere } from '../../src/errors/not-there.js';

const faultOf = (path: string) => {
  try {
    return readFileSync(path);
  } catch (error) {
    return error;
  }
};

it('a file that is missing, or that another host removed as it was read, is not there; one in the way is', () => {
  const stale = { errno: -constants.errno.ESTALE, code: `Unknown system error ${-constants.errno.ESTALE}` };
  expect([faultOf('/no such file'), stale].map(notThere)).toEqual([true, true]);
  expect([faultOf('/'), new Error('cut'), { errno: undefined }].map(notThere)).toEqual([false, false, false]);
});
