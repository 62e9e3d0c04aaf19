import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type DatasetYaml, datasetSchema } from '../../src/config/dataset-schema.js';
import type { DatasetSpec } from '../../src/datasets/example/dataset-spec.js';
import { loadDataset } from '../../src/datasets/load-dataset.js';
import { SupportCalError } from '../../src/errors/supportcal-error.js';

/** A folder that lives as long as the test file. */
export function temporaryFolder() {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'supportcal-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    write(name: string, content: string | Uint8Array): string {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    },
    /** A checked specification whose YAML file would lie in the folder; every field stands on line 3. */
    spec(yaml: Record<string, unknown>): DatasetSpec {
      const checked: DatasetYaml = datasetSchema.parse(yaml);
      return {
        id: 'trial',
        file: path.join(folder, 'trial.yaml'),
        yaml: checked,
        locate: () => ({ line: 3, column: 5 }),
      };
    },
    load(yaml: Record<string, unknown>) {
      return loadDataset(this.spec(yaml));
    },
  };
}

/** The error of a promise that is refused. */
export async function refused(promise: Promise<unknown>): Promise<SupportCalError> {
  const error = await promise.then(
    () => null,
    (reason) => reason,
  );
  if (!(error instanceof SupportCalError)) throw new Error(`expected a SupportCalError, found ${error}`);
  return error;
}

/** The messages of everything that was refused, with `file:line` cut to the file name. */
export async function refusal(promise: Promise<unknown>): Promise<string[]> {
  const error = await refused(promise);
  return error.faults.map((fault) => {
    const place = [fault.file === undefined ? '' : path.basename(fault.file), fault.line].filter(
      (part) => part !== undefined,
    );
    return `${error.code} ${place.join(':')} ${fault.field ?? '-'} ${fault.row ?? '-'}: ${fault.message}`;
  });
}

/** One JSON line per row. */
export function lines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
