import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const BUNDLE = 'llama/gitRelease.bundle';

/** Why the vocabulary files cannot be had here; null when they can. */
export function whyNoVocabularies(): string | null {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
  } catch {
    return 'git is not on this machine';
  }
  return existsSync(bundle()) ? null : 'node-llama-cpp came without its llama.cpp sources';
}

/**
 * Paths of `ggml-vocab-NAME.gguf`: real tokenizers without weights, out of the llama.cpp sources inside node-llama-cpp.
 * They lie in the temporary folder of the test run, where its first file that asks unpacks them.
 */
export function releaseVocabularies(names: readonly string[]): Map<string, string> {
  const folder = path.join(tmpdir(), 'vocabularies');
  const file = (name: string) => path.join(folder, `ggml-vocab-${name}.gguf`);
  const missing = names.filter((name) => !existsSync(file(name)));
  if (missing.length > 0) {
    mkdirSync(folder, { recursive: true });
    const repository = mkdtempSync(path.join(tmpdir(), 'supportcal-release-'));
    try {
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', repository, ...args], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 28 });
      git('init', '-q', '--bare');
      git('fetch', '-q', bundle(), 'HEAD');
      for (const name of missing) {
        // Renamed into place: two test runs may unpack at the same time.
        const temporary = `${file(name)}.${process.pid}`;
        writeFileSync(temporary, git('cat-file', 'blob', `FETCH_HEAD:models/ggml-vocab-${name}.gguf`));
        renameSync(temporary, file(name));
      }
    } finally {
      rmSync(repository, { recursive: true, force: true });
    }
  }
  return new Map(names.map((name) => [name, file(name)]));
}

function bundle(): string {
  const root = (createRequire(import.meta.url).resolve.paths('node-llama-cpp') ?? []).map((folder) =>
    path.join(folder, 'node-llama-cpp', BUNDLE),
  );
  return root.find((candidate) => existsSync(candidate)) ?? root[0]!;
}
