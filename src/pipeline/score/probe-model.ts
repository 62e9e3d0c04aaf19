import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../files/own-files.js';

/** The smallest demo model of this package: a device counts as working only when it has decoded with it. */
export function probeModel(): string | undefined {
  const folder = fileURLToPath(packageFile('models/demo/'));
  try {
    const files = readdirSync(folder).flatMap((name) => (name.endsWith('.gguf') ? [folder + name] : []));
    return files.sort((a, b) => statSync(a).size - statSync(b).size)[0];
  } catch {
    return undefined;
  }
}
