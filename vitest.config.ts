import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The largest file first, as always, but before all the one that mostly waits for faults: begun
 * last, it would leave the other process without work for a minute.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification) => moduleId.includes('/tests/sim/');
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '') } },
  test: {
    include: [
      'app/**/*.test.ts',
      'server/**/*.test.ts',
      'sandbox/**/*.test.ts',
      'widget/**/*.test.ts',
      'tests/**/*.test.ts',
    ],
    globalSetup: 'tests/harness/global-setup.ts',
    pool: 'forks',
    // Tests wait for a third of their time, so three processes keep two cores busy.
    maxWorkers: 3,
    // Every file leaves its modules behind. With V8's default of 16 MB, collecting them takes 7% of the time.
    execArgv: ['--max-semi-space-size=64'],
    // A process for each file would spend half of the run on loading packages.
    isolate: false,
    setupFiles: 'tests/harness/fresh-start.ts',
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    // What failed once is named at the end.
    retry: process.env.CI ? 1 : 0,
    // A failure names what differs, also in the closing lines.
    chaiConfig: { truncateThreshold: 2_000 },
    // Vite sets a BASE_URL of its own; ours is another thing.
    env: {
      BASE_URL: '',
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      // A fast machine asks more of one key than a user does; the limit's own tests set it.
      LIMIT_REQUESTS_PER_KEY_PER_MINUTE: '0',
      AUTH_SECRET: 'a secret of the tests, long enough to be one',
    },
  },
});
