import { enterProject } from '../../scripts/steps.mjs';
import { requireProgram, runTest } from '../run.mjs';

/** `npm run receivers`: runs the receivers of docs/webhooks.md in JavaScript, Python and Go. */

enterProject();
requireProgram('python3', '--version', 'https://www.python.org/downloads');
requireProgram('go', 'version', 'https://go.dev/dl');
runTest('tests/house/docs/receivers-guide.test.ts', { ALL_RECEIVERS: '1' });
