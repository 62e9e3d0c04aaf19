import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/**
 * The processor of this machine and a short hash of the instructions that it has. Machines of one name may differ in
 * them (virtual ones do), and a program built for one may end on another one.
 */
export function processorName(file = '/proc/cpuinfo'): string {
  const model = cpus()[0]?.model.trim() || process.arch;
  const instructions = instructionsOf(file);
  return instructions === null ? model : `${model} (instructions ${instructions})`;
}

/** null: the system does not tell them. */
function instructionsOf(file: string): string | null {
  try {
    const said = /^(?:flags|Features)\s*:\s*(.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
    const computing = (said ?? '').split(/\s+/).filter((name) => COMPUTING.test(name));
    if (computing.length === 0) return null;
    return createHash('sha256').update(computing.sort().join(' ')).digest('hex').slice(0, 8);
  } catch {
    return null;
  }
}

/** Those that a compiler makes kernels of; the rest changes with the system's kernel and its settings. */
const COMPUTING = /^(s?sse|avx|amx|fma|f16c|bmi|abm|popcnt|movbe|gfni|vaes|vpclmul|asimd|sve|sme|i8mm|bf16|fphp)/;
