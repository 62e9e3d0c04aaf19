import { readFileSync } from 'node:fs';
import path from 'node:path';
import asc from 'assemblyscript/asc';

export const CODE_FILE = path.join(import.meta.dirname, '../src/numeric/kernels/code.ts');

/** The text of src/numeric/kernels/code.ts: the loops of rows.as as WebAssembly. */
export async function compiledKernels(): Promise<string> {
  const source = readFileSync(path.join(import.meta.dirname, 'rows.as'), 'utf8');
  let code = new Uint8Array();
  const flags = ['--optimizeLevel', '3', '--shrinkLevel', '0', '--runtime', 'stub', '--noAssert', '--enable', 'simd'];
  const { error, stderr } = await asc.main(['rows.ts', ...flags, '--outFile', 'rows.wasm'], {
    readFile: (name) => (name === 'rows.ts' ? source : null),
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') code = new Uint8Array(contents);
    },
    listFiles: () => [],
  });
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`);
  const base64 = Buffer.from(code)
    .toString('base64')
    .replace(/.{1,110}/g, "\n  '$&' +");
  return `/** Made of kernels/rows.as by \`npm run kernels\`; a test says when it is out of date. */
export const CODE =${base64.replace(/ \+$/, '')};
`;
}
