import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/lab/**', 'test/image/**'] },
      },
      { extends: true, test: { name: 'image', include: ['test/image/**/*.test.ts'], fileParallelism: false } },
      {
        extends: true,
        test: {
          name: 'lab',
          include: ['test/lab/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
    testTimeout: 30_000,
  },
});
