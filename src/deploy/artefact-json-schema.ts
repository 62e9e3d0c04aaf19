import { z } from 'zod';
import { artefactSchema } from './artefact-schema.js';

/** schemas/calibration.schema.json (2020-12), for programs in other languages that read artefacts. */
export function artefactJsonSchema(): string {
  const title = 'A calibration of SupportCal: what `supportcal export` writes';
  return `${JSON.stringify({ title, ...z.toJSONSchema(artefactSchema, { io: 'input' }) }, null, 2)}\n`;
}
