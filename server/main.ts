import './process/v8-flags';
import { runUntilStopped } from './process/lifetime';
import { startService } from './process/start';

/** The process: starts missing parts, serves requests, and stops everything it started when it ends. */
await runUntilStopped((life) => startService(life, { dev: process.argv.includes('--dev') }));
