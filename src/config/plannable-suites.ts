import type { ModelSpec, ModelsFile, SuiteSpec } from './models-schema.js';

/** The suites without the models that faults make unusable: unknown ones, and targets whose own base is unknown. */
export function plannableSuites({ models, suites }: ModelsFile): Record<string, SuiteSpec> {
  const bases = new Set(idsOf(models, (model) => model.role === 'base'));
  const targets = idsOf(models, (model) => model.role === 'post-trained' && bases.has(model.base ?? ''));
  const known = (names: readonly string[]) => [...new Set(names)].filter((name) => targets.includes(name));
  return Object.fromEntries(
    Object.entries(suites).map(([name, suite]): [string, SuiteSpec] => {
      const { targets: asked, references, datasets } = suite;
      const list = Array.isArray(asked) ? known(asked) : targets;
      const perDataset =
        asked === 'all' || Array.isArray(asked)
          ? null
          : datasets.map((id) => [id, known(Object.hasOwn(asked, id) ? asked[id]! : [])] as const);
      return [
        name,
        {
          ...suite,
          targets: perDataset === null ? list : Object.fromEntries(perDataset),
          ...(references && { references: references.filter((id) => bases.has(id)) }),
        },
      ];
    }),
  );
}

function idsOf(models: readonly ModelSpec[], wanted: (model: ModelSpec) => boolean): string[] {
  return [...new Set(models.filter(wanted).map(({ id }) => id))];
}
