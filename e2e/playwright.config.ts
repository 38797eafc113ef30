import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { BASE_URL } from './fixtures/server';

const root = path.resolve(import.meta.dirname, '..');

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: path.join(root, 'test-results'),
  globalSetup: './fixtures/global-setup.ts',
  // One server, one pool of demo data: in turn.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env.CI !== undefined,
  // A busy build machine may miss a deadline once; a promise that is broken fails twice.
  retries: process.env.CI === undefined ? 0 : 1,
  reporter: [['list'], ['json', { outputFile: path.join(root, '.build/test-results/playwright.json') }]],
  use: {
    baseURL: BASE_URL,
    browserName: 'chromium',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // Hosts of partners that no name server knows.
        '--host-resolver-rules=MAP *.test 127.0.0.1',
      ],
    },
  },
});
