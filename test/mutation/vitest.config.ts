import { configDefaults, defineConfig } from 'vitest/config';
import { builtModules } from '../built-modules.js';

/** The tests of one area, as `nightly.ts` names them; StrykerJS starts them in a copy of the project. */
export default defineConfig({
  plugins: [builtModules()],
  test: {
    include: [...JSON.parse(process.env.SUPPORTCAL_MUTATION_TESTS ?? '[]')],
    exclude: [...configDefaults.exclude, 'reports/**'],
    globalSetup: ['test/run-folder.ts', 'test/built-modules.ts'],
    setupFiles: ['test/seed.ts', 'test/mutation/skip-samplers.ts'],
    isolate: process.env.SUPPORTCAL_MUTATION_ISOLATE === 'true',
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
