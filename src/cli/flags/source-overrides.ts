import type { SourceOverride } from '../../datasets/source/override-source.js';
import { SupportCalError } from '../../errors/supportcal-error.js';

/** The values of `--source`: `ID=FILE`, or `ID:FIELD=FILE` for each of several paired text files. */
export function sourceOverrides(values: readonly string[]): Map<string, SourceOverride> {
  const overrides = new Map<string, SourceOverride>();
  for (const value of values) {
    const match = /^([^=:]+)(?::([^=]+))?=(.+)$/s.exec(value);
    if (match === null) {
      throw usage(value, 'expected ID=FILE, or ID:FIELD=FILE for paired text files');
    }
    const [, id, field, file] = match as unknown as [string, string, string | undefined, string];
    const known = overrides.get(id);
    if (field === undefined ? known !== undefined : typeof known === 'string') {
      throw usage(value, `the source of "${id}" is already given; name one file, or one for each field`);
    }
    overrides.set(id, field === undefined ? file : { ...(known as Record<string, string> | undefined), [field]: file });
  }
  return overrides;
}

function usage(value: string, message: string): SupportCalError {
  return new SupportCalError('usage', `--source ${value}: ${message}`);
}
