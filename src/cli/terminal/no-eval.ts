import { z } from 'zod';

/*
 * Schemas are run and not made into code: a command looks at each of its documents once, and compiling the code for
 * that takes longer than walking the schema (20 of 700 ms of a calibration; `report` on a document of 3 MB gains too).
 */
z.config({ jitless: true });
