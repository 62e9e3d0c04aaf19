import { availableParallelism } from 'node:os';
import type { GgufPlace } from '../../contract/model-place.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ScoringEvents } from '../../contract/scorer.js';
import { sharedBeginning } from '../../contract/shared-beginning.js';
import type { ScoringEngine } from '../../scoring/pool-maker.js';
import { type StayingModel, stayingModel } from '../../scoring/staying-model.js';
import type { ScoringModel } from './question-scorer.js';

/** What an artefact needs of its model. */
interface Needs {
  /** Tokens that a question may have. */
  readonly longest: number;
  /** Two prompts whose common beginning all prompts have. */
  readonly sharing: readonly ExamplePrompt[];
}

interface Wanted extends Pick<ScoringModel, 'model' | 'device'> {
  readonly place: GgufPlace;
  readonly needs: Needs[];
  kept?: StayingModel;
}

/** Models that stay, each loaded once, however many artefacts ask it in the same way. */
export class KeptModels {
  readonly #wanted = new Map<string, Wanted>();

  constructor(
    private readonly events: ScoringEvents,
    private readonly engine: ScoringEngine = {},
  ) {}

  /** Notes what is wanted. The model is made when it is first asked for, with what all have wanted by then. */
  want({ model, device }: Pick<ScoringModel, 'model' | 'device'>, place: GgufPlace, needs: Needs): () => StayingModel {
    const { prompt, assistantPrefix, scoring } = model;
    const key = JSON.stringify([place.path, place.lora, device, prompt, assistantPrefix, scoring]);
    const wanted: Wanted = this.#wanted.get(key) ?? { model, device, place, needs: [] };
    this.#wanted.set(key, wanted);
    wanted.needs.push(needs);
    return () => {
      wanted.kept ??= this.#keep(wanted);
      return wanted.kept;
    };
  }

  #keep({ model, device, place, needs }: Wanted): StayingModel {
    const longest = Math.max(...needs.map((each) => each.longest));
    const sharing = sharedBeginning(needs.flatMap((each) => each.sharing)) ?? [];
    const { events, engine } = this;
    return stayingModel(
      { model, place },
      { device, cores: availableParallelism() },
      { longest, sharing },
      { events, engine },
    );
  }
}
