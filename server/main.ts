import { runUntilStopped } from './process/lifetime';
import { startService } from './process/start';

/** The process: starts what is missing, serves requests, and leaves nothing running when it stops. */
await runUntilStopped((life) => startService(life, { dev: process.argv.includes('--dev') }));
