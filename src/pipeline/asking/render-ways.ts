import type { SuitePlan } from '../../config/plan-suite.js';
import type { RenderedWay, RenderInput, WayOfAsking } from './way-of-asking.js';

/** What a data set is asked in each way, by the name of the way. */
export type RenderedWays = ReadonlyMap<string, RenderedWay>;

/** Renders a data set in every way that some model of the suite is asked in. */
export function renderWays(ways: readonly WayOfAsking[], input: RenderInput): RenderedWays {
  const needed = ways.filter((way) => isNeeded(way, input.suite.methods));
  return new Map(needed.map((way) => [way.name, way.render(input)]));
}

/** Whether the suite asks a model in the given way on a data set, as far as methods and targets say. */
export function asksModel(
  way: WayOfAsking,
  suite: Pick<SuitePlan, 'methodsOf' | 'targetsOf'>,
  dataset: string,
  model: { readonly id: string },
): boolean {
  if (way.asks === 'every-model') return true;
  const isTarget = suite.targetsOf(dataset).some(({ target }) => target.id === model.id);
  return isTarget && isNeeded(way, suite.methodsOf(dataset));
}

/** Why methods of the suite are left out on a data set, one line a reason. */
export function refusalWarnings(
  ways: readonly WayOfAsking[],
  methods: readonly string[],
  rendered: RenderedWays = new Map(),
): string[] {
  const lines = ways.flatMap((way) => {
    const left = way.methodsNeeding(methods).join(', ');
    return (rendered.get(way.name)?.refusals ?? []).map((reason) => `left out (${left}), ${reason}`);
  });
  return [...new Set(lines)];
}

function isNeeded(way: WayOfAsking, methods: readonly string[]): boolean {
  return way.asks === 'every-model' || way.methodsNeeding(methods).length > 0;
}
