import { SupportCalError } from '../errors/supportcal-error.js';
import type { CalibrationArtefact } from '../pipeline/artefact/artefact-schema.js';
import { type AnswererOptions, openAnswerer } from '../pipeline/predict/artefact-answerer.js';
import { KeptModels } from '../pipeline/predict/kept-models.js';
import { toolVersion } from '../pipeline/workspace/tool-version.js';
import type { ScoringEngine } from '../scoring/pool-maker.js';
import { httpApp } from './http-app.js';
import { artefactName, type ServedArtefact } from './served-artefacts.js';
import type { ServiceParts } from './service.js';
import { isLoopback, type ServiceSettings } from './service-settings.js';

/** A calibration that is to be served. */
export interface ArtefactToServe {
  readonly artefact: CalibrationArtefact;
  /** How its model is found; null: no model is loaded, scores are brought. */
  readonly options: AnswererOptions | null;
  /** Answers with a lower confidence are marked `abstain`. */
  readonly abstainBelow?: number | undefined;
}

export interface RunningService {
  /** Where it listens, such as http://127.0.0.1:8421. */
  readonly address: string;
  readonly artefacts: readonly string[];
  /** Takes no more requests, answers those that came, then ends the models. */
  close(): Promise<void>;
}

export interface ServiceContext {
  readonly onLog: ServiceParts['onLog'];
  readonly signal: AbortSignal;
  readonly engine?: ScoringEngine;
}

/**
 * Loads the models of the artefacts, each once, and listens. Nothing is taken before every model is loaded.
 *
 * @throws SupportCalError usage: two artefacts of one name, other machines let in without a token, a port in use; what
 *   `openAnswerer` throws; scoring when a model cannot be loaded
 */
export async function startService(
  artefacts: readonly ArtefactToServe[],
  settings: ServiceSettings,
  context: ServiceContext,
): Promise<RunningService> {
  refuseOpenDoor(settings);
  refuseSameNames(artefacts);
  const { onLog, signal, engine } = context;
  const models = new KeptModels({ onLog }, engine);
  const served: ServedArtefact[] = [];
  const closeModels = () => Promise.all(served.flatMap(({ answerer }) => answerer?.close() ?? []));
  try {
    for (const { artefact, options: asked, abstainBelow } of artefacts) {
      const options = asked === null || abstainBelow === undefined ? asked : { ...asked, abstainBelow };
      const answerer = options === null ? null : await openAnswerer(artefact, options, { onLog }, { signal, models });
      served.push({ name: artefactName(artefact), artefact, answerer, abstainBelow });
    }
    for (const { answerer } of served) await answerer?.model.open();
    const app = await httpApp({ served, settings, version: toolVersion(), onLog });
    const address = await app.listen({ host: settings.host, port: settings.port }).catch((cause) => {
      throw new SupportCalError('usage', `--host ${settings.host} --port ${settings.port}: ${cause.message}`, {
        cause,
      });
    });
    const close = async () => {
      await app.close();
      await closeModels();
    };
    return { address, artefacts: served.map(({ name }) => name), close };
  } catch (error) {
    await closeModels();
    throw error;
  }
}

function refuseOpenDoor({ host, token }: ServiceSettings): void {
  if (token !== null || isLoopback(host)) return;
  throw new SupportCalError(
    'usage',
    `--host ${host} lets other machines in: name the variable that holds the token which they must bring, ` +
      '--token-env NAME, or listen on 127.0.0.1',
  );
}

function refuseSameNames(artefacts: readonly ArtefactToServe[]): void {
  const names = artefacts.map(({ artefact }) => artefactName(artefact));
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined)
    throw new SupportCalError('usage', `--artefact: ${twice} is given twice; name one of the two`);
}
