import { statfsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'playwright/test';
import { BASE_URL } from './fixtures/server';

const { CHROMIUM_PATH, CHROMIUM_SHELL_PATH = CHROMIUM_PATH } = process.env;
const root = path.resolve(import.meta.dirname, '..');

/** Enough for three browsers. Docker gives a container 64 MB, with which Chromium crashes. */
const SHARED_MEMORY_BYTES = 2 ** 30;

function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= SHARED_MEMORY_BYTES;
  } catch {
    return false;
  }
}

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: path.join(root, 'test-results'),
  globalSetup: './fixtures/global-setup.ts',
  // Each worker has its own server; the tests of one file run in turn. Tests wait a good part of their
  // time, so three workers keep two cores busy.
  workers: 3,
  // Long enough for a busy build machine.
  timeout: 90_000,
  // A server that never becomes ready would otherwise wait without end.
  globalTimeout: 60 * 60_000,
  expect: { timeout: 20_000 },
  forbidOnly: process.env.CI !== undefined,
  // What failed once is named at the end.
  retries: process.env.CI ? 1 : 0,
  reporter: [['list'], ['json', { outputFile: path.join(root, '.build/test-results/playwright.json') }]],
  use: {
    baseURL: BASE_URL,
    browserName: 'chromium',
    // Drawing each step of an animation takes longer than the step that a test waits for.
    reducedMotion: 'reduce',
    // Tracing every test costs more than the few failures justify; turn it on with --trace=on.
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(CHROMIUM_SHELL_PATH ? { executablePath: CHROMIUM_SHELL_PATH } : {}),
      // Files on a disk instead of shared memory take a seventh of Chromium's processor time.
      ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // Host names of partners that no name server knows.
        '--host-resolver-rules=MAP *.test 127.0.0.1',
      ],
    },
  },
});
