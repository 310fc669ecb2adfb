import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
