import { runUntilStopped } from './process/lifetime';
import { startService } from './process/start';

/** The process: starts what is missing, serves, and leaves nothing running. */
await runUntilStopped((life) => startService(life, { dev: process.argv.includes('--dev') }));
