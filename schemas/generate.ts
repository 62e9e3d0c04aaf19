/** Writes the JSON Schemas of this folder from the code: npm run schemas. A test says when they are out of date. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { jsonSchemas } from '../src/config/json-schemas.js';
import { artefactJsonSchema } from '../src/pipeline/artefact/artefact-schema.js';

const files = new Map([...jsonSchemas(), ['calibration.schema.json', artefactJsonSchema()]]);
for (const [name, text] of files) writeFileSync(path.join(import.meta.dirname, name), text);
