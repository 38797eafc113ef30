import { cpSync } from 'node:fs';
import path from 'node:path';
import { enterProject } from '../../scripts/steps.mjs';
import { requireProgram, run, runTest } from '../run.mjs';
import { createEnvironment } from './python.mjs';

/**
 * `npm run media-clients`: installs the official clients of OpenAI in Python and Go, and makes images and the like with
 * them.
 */

const GO_CLIENT = 'github.com/openai/openai-go/v3@v3.99.0';
const PYTHON_CLIENT = 'openai==3.57.0';
const FOLDER = path.resolve('.build/media');

enterProject();
requireProgram('go', 'version', 'https://go.dev/dl');
const python = createEnvironment(path.join(FOLDER, 'python'), PYTHON_CLIENT);
const go = path.join(FOLDER, 'go');
cpSync('tests/gateway/clients/go', go, { recursive: true });
const program = path.join(FOLDER, 'go-client');
const modules = { GOFLAGS: '-mod=mod' };
run('go', ['-C', go, 'get', GO_CLIENT], modules);
run('go', ['-C', go, 'build', '-o', program, '.'], modules);
runTest('tests/gateway/clients/media-sdks.test.ts', { MEDIA_PYTHON: python, MEDIA_GO: program });
