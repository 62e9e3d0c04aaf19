import { defineConfig } from 'vitest/config';

/** `npm run test:browser`: what needs a Chromium on the machine. `npm test` needs none. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.spec.ts'],
    globalSetup: ['test/run-folder.ts'],
    setupFiles: ['test/seed.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
