import { getLlama, getModuleVersion, LlamaLogLevel } from 'node-llama-cpp';
import { type CompiledAddon, CUBLAS_PRODUCTS } from '../../library/library-build.js';
import { compileProducts, compileReader } from './compile-addons.js';

/** What the process tells its parent at its end; no message at all means that it died. */
export type BuildResult =
  | {
      readonly ok: true;
      readonly folder: string;
      readonly made: boolean;
      readonly seconds: number;
      readonly reader: CompiledAddon;
      /** Absent: the build multiplies as llama.cpp chooses. */
      readonly products?: CompiledAddon;
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Entry of the process that builds llama.cpp for the cards or the processor of this machine, from the sources inside
 * the package, through the package's own call: `build-library DEVICE CMAKE_OPTIONS_AS_JSON [again]`. A build that is
 * there is only loaded, unless `again` says to make it anew. What cmake and the compiler print goes to the standard
 * streams. Our own reader of logits and choice of products are compiled beside the build, which is of use without them
 * too.
 */
const [, , device = 'cuda', options = '{}', again] = process.argv;
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
const result = await build(JSON.parse(options)).catch(
  (error): BuildResult => ({ ok: false, reason: error instanceof Error ? error.message : String(error) }),
);
process.send?.(result, () => process.exit());

async function build(cmakeOptions: Record<string, string>): Promise<BuildResult> {
  const started = performance.now();
  const gpu = device === 'cuda' ? device : false;
  const common = { gpu, cmakeOptions, logLevel: LlamaLogLevel.error } as const;
  const there =
    again === undefined
      ? await getLlama({
          ...common,
          build: 'never',
          existingPrebuiltBinaryMustMatchBuildOptions: true,
          progressLogs: false,
        }).catch(() => null)
      : null;
  const llama = there ?? (await getLlama({ ...common, build: 'forceRebuild', progressLogs: 'stderr' }));
  if (llama.buildType !== 'localBuild') return { ok: false, reason: `the library loaded a ${llama.buildType} binary` };
  const folder = loadedFolder();
  if (folder === null) return { ok: false, reason: 'the library was loaded from no folder of its local builds' };
  const release = await getModuleVersion();
  const reader = await compileReader(release, folder);
  const products = cmakeOptions[CUBLAS_PRODUCTS] === 'ON' ? { products: await compileProducts(release, folder) } : {};
  return { ok: true, folder, made: there === null, seconds: (performance.now() - started) / 1000, reader, ...products };
}

/** The folder of local builds that the addon was loaded from, by the list of files that this process has loaded. */
function loadedFolder(): string | null {
  const { sharedObjects } = process.report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  const found = sharedObjects.flatMap((file) => /localBuilds[\\/]([^\\/]+)[\\/]/.exec(file)?.[1] ?? []);
  return found[0] ?? null;
}
