import { nearest } from '../errors/nearest.js';
import type { CalibrationArtefact } from '../pipeline/artefact/artefact-schema.js';
import type { ArtefactAnswerer } from '../pipeline/predict/artefact-answerer.js';
import { HttpFault } from './http-fault.js';

/** A calibration as requests name it. */
export interface ServedArtefact {
  readonly name: string;
  readonly artefact: CalibrationArtefact;
  /** Answers with a lower confidence are marked `abstain`; absent: none is. */
  readonly abstainBelow?: number | undefined;
  /** null: no model is here, scores are brought. */
  readonly answerer: ArtefactAnswerer | null;
}

/** The name of an artefact in requests: `target/dataset`. */
export function artefactName({ target, dataset }: Pick<CalibrationArtefact, 'target' | 'dataset'>): string {
  return `${target.id}/${dataset.id}`;
}

/** The artefact that a request names; the only one where it names none. */
export function chosenArtefact(served: readonly ServedArtefact[], name: string | undefined): ServedArtefact {
  const [only] = served;
  if (name === undefined && served.length === 1 && only !== undefined) return only;
  const found = served.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = served.map((each) => each.name);
  const what =
    name === undefined ? 'expected `artefact`, one of' : `no artefact "${name}"${nearest(name, names)}; there are`;
  throw new HttpFault(name === undefined ? 400 : 404, 'artefact', `${what} ${names.join(', ')}`);
}
