/** Why models were not scored, by model; a reason that holds on one data set alone under `reasonKey`. */
export type FailureReasons = ReadonlyMap<string, string>;

/** The name of a reason of one data set: no model has it as its id. */
export function reasonKey(model: string, dataset: string): string {
  return JSON.stringify([model, dataset]);
}

/** Why a model was not scored on a data set. */
export function reasonOn(reasons: FailureReasons | null, model: string, dataset: string): string | undefined {
  return reasons?.get(reasonKey(model, dataset)) ?? reasons?.get(model);
}
