/** Compiles rows.as: npm run kernels. A test says when src/numeric/kernels/code.ts is out of date. */
import { writeFileSync } from 'node:fs';
import { CODE_FILE, compiledKernels } from './compile.js';

writeFileSync(CODE_FILE, await compiledKernels());
