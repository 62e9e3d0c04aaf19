import { runTool } from './run-tool.js';

/** What the driver says of the cards of this machine. */
export interface NvidiaCards {
  /** Names of the cards, each once. */
  readonly names: readonly string[];
  /** Kinds of kernels they run, as cmake wants them: 90 for compute capability 9.0; each once, in order. */
  readonly architectures: readonly string[];
  readonly driver: string;
  /** Newest CUDA that the driver runs, such as "13.0"; null: it does not say. */
  readonly cuda: string | null;
}

/** null: there is no NVIDIA driver, or no card behind it. */
export async function nvidiaCards(environment: NodeJS.ProcessEnv): Promise<NvidiaCards | null> {
  const query = ['--query-gpu=name,compute_cap,driver_version', '--format=csv,noheader'];
  const said = await runTool('nvidia-smi', query, environment);
  const cards = (said ?? '').split('\n').flatMap((line) => {
    const [, name, major, minor, driver] = /^(.+), *(\d+)\.(\d+), *([\d.]+)$/.exec(line.trim()) ?? [];
    return name === undefined || driver === undefined ? [] : [{ name, architecture: `${major}${minor}`, driver }];
  });
  const [first] = cards;
  if (first === undefined) return null;
  const whole = (await runTool('nvidia-smi', [], environment)) ?? '';
  const unique = (values: readonly string[]) => [...new Set(values)];
  return {
    names: unique(cards.map(({ name }) => name)),
    architectures: unique(cards.map(({ architecture }) => architecture)).sort((a, b) => Number(a) - Number(b)),
    driver: first.driver,
    cuda: /CUDA Version: *(\d+\.\d+)/.exec(whole)?.[1] ?? null,
  };
}
