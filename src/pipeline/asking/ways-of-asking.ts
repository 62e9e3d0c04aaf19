import { elicitation } from './elicitation.js';
import { elicitationEnsemble } from './elicitation-ensemble.js';
import { pTrue } from './p-true.js';
import { plain } from './plain.js';
import { rotations } from './rotations.js';
import type { WayOfAsking } from './way-of-asking.js';

/** Every way of asking, plain prompts first, in the order of manifests and reports. A new way is a new line here. */
export const WAYS_OF_ASKING: readonly WayOfAsking[] = [plain, rotations, elicitation, elicitationEnsemble, pTrue];

/** Names of the ways of asking, beside plain prompts, whose scores `supportcal import` can bring. */
export function importableNames(): string[] {
  return WAYS_OF_ASKING.filter((way) => way.importable && way !== plain).map(({ name }) => name);
}
