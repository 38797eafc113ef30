import path from 'node:path';
import { enterProject } from '../../scripts/steps.mjs';
import { runTest } from '../run.mjs';
import { createEnvironment } from './python.mjs';

/** `npm run python-verifier`: checks statements with the Python program of docs/verify.md. */

enterProject();
const python = createEnvironment(path.resolve('.build/python/verifier'), 'cryptography==50.0.2');
runTest('tests/reports/statements/python.test.ts', { PYTHON_VERIFIER: python });
