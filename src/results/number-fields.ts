import { z } from 'zod';

export const numberOrNull = z.number().nullable();

/** A field that files of an earlier minor version do not have. */
export const addedNumber = numberOrNull.default(null);
