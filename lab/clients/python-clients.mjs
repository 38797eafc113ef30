import { readFileSync } from 'node:fs';
import path from 'node:path';
import { enterProject } from '../../scripts/steps.mjs';
import { runTest } from '../run.mjs';
import { createEnvironment } from './python.mjs';

/**
 * `npm run python-clients`: installs the Python clients, each in a virtual environment because they require
 * different versions of each other, and calls the service with them.
 */

const FOLDER = path.resolve('.build/python');

enterProject();
/** @type {Record<string, string>} */
const packages = JSON.parse(readFileSync('tests/gateway/clients/python/packages.json', 'utf8'));
for (const [client, requirements] of Object.entries(packages)) {
  console.log(`Installing ${requirements} …`);
  createEnvironment(path.join(FOLDER, client), requirements);
}
runTest(['tests/gateway/clients/python.test.ts', 'tests/gateway/clients/run-keys.test.ts'], {
  PYTHON_CLIENTS: FOLDER,
});
