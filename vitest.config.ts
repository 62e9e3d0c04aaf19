import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { configDefaults, defineConfig } from 'vitest/config';
import { WORKED_VARIABLE } from './src/engine/library/skip-trial.js';
import { builtModules } from './test/built-modules.js';
import { SlowestReporter } from './test/slowest-reporter.js';

/** Tests that put something else in the place of a module need modules of their own. */
const REPLACING_MODULES = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(new URL(file, import.meta.url), 'utf8').includes('vi.mock('),
);

export default defineConfig({
  plugins: [builtModules()],
  test: {
    // Vitest leaves one core alone; of two that is half of the machine.
    // A third worker, for those that wait for processes, costs more than it gives: each loads all modules (280 s for 255).
    maxWorkers: '100%',
    // Tests make much that dies young: with the default of 16 MiB collecting it takes a fourteenth more.
    execArgv: ['--max-semi-space-size=64'],
    // Every child that loads the library would try its binary first, in a process of half a second: here any test shows
    // whether it works.
    env: { [WORKED_VARIABLE]: 'cpu' },
    globalSetup: ['test/run-folder.ts', 'test/built-modules.ts'],
    setupFiles: ['test/seed.ts'],
    // Real inference and child processes share two cores with the other files, and a busy machine gives them a tenth.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The closing line of the run says how many tests passed and failed, for scripts that read it.
    reporters: [new SlowestReporter(), 'default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: REPLACING_MODULES,
        },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...REPLACING_MODULES],
          // Loading every module again for each of 200 files takes longer than any test.
          isolate: false,
        },
      },
    ],
  },
});
