/** Grows with every change of what dispatcher and workers write to each other. */
export const PROTOCOL = 2;

/** What dispatcher and worker must have in common, since it can change a score or what a message means. */
export interface Versions {
  readonly tool: string;
  readonly llamaCpp: string;
  readonly nodeLlamaCpp: string;
  readonly protocol: number;
}

/** `supportcal 0.1.0 (llama.cpp b9000, node-llama-cpp 3.22.1, queue protocol 1)` */
export function versionText({ tool, llamaCpp, nodeLlamaCpp, protocol }: Versions): string {
  return `supportcal ${tool} (llama.cpp ${llamaCpp}, node-llama-cpp ${nodeLlamaCpp}, queue protocol ${protocol})`;
}

export function sameVersions(a: Versions, b: Versions): boolean {
  return versionText(a) === versionText(b);
}
