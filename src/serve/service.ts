import type { AnswerWatch } from './answer-watch.js';
import type { ServedArtefact } from './served-artefacts.js';
import type { ServiceMetrics } from './service-metrics.js';
import type { ServiceSettings } from './service-settings.js';

/** What a service is made of. */
export interface ServiceParts {
  readonly served: readonly ServedArtefact[];
  readonly settings: ServiceSettings;
  readonly version: string;
  readonly onLog: (level: 'info' | 'warn' | 'error', text: string) => void;
}

/** What the routes share. */
export interface Service extends ServiceParts {
  readonly metrics: ServiceMetrics;
  readonly watches: ReadonlyMap<string, AnswerWatch>;
}
