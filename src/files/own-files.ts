/** Whether this module runs as it was written, by way of tsx or vitest, and not built. */
const fromSource = import.meta.url.endsWith('.ts');

/**
 * The address of a module of our own that another thread or process starts, by its path inside `src` without ending:
 * its source, or the file that `npm run build` made of it. Built files lie side by side, this line in one of them.
 */
export function ownModule(name: string): URL {
  if (fromSource) return new URL(`../${name}.ts`, import.meta.url);
  return new URL(`./${name.slice(name.lastIndexOf('/') + 1)}.js`, import.meta.url);
}

/**
 * The name of the build that runs, the hash of what it was made from; null for sources, which change as one edits them.
 */
export function ownBuild(here = import.meta.url): string | null {
  return /\/([0-9a-f]{16})\/[^/]+$/.exec(new URL(here).pathname)?.[1] ?? null;
}

/** The address of a file that the package ships beside its code, by its path from package.json. */
export function packageFile(name: string): URL {
  // From src/files and from dist/<build> alike.
  return new URL(`../../${name}`, import.meta.url);
}
