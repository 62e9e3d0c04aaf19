import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/seed.ts'],
    // Real inference and child processes share two cores with the other files.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The closing line of the run says how many tests passed and failed, for scripts that read it.
    reporters: ['default'],
  },
});
