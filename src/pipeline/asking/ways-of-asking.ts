import { elicitation } from './elicitation.js';
import { elicitationEnsemble } from './elicitation-ensemble.js';
import { pTrue } from './p-true.js';
import { plain } from './plain.js';
import { rotations } from './rotations.js';
import type { WayOfAsking } from './way-of-asking.js';

/** Every way of asking, in the order of manifests and reports; plain prompts come first. A new way is a new line here. */
export const WAYS_OF_ASKING: readonly WayOfAsking[] = [plain, rotations, elicitation, elicitationEnsemble, pTrue];
