import { setFlagsFromString } from 'node:v8';
import { instanceNumber } from './base/env';
import { runUntilStopped } from './process/lifetime';
import { startInstance, startService } from './process/start';

// Without this, V8 allocates parts of each query among the old objects. They keep younger ones alive until the next full
// collection, which makes every short collection pause for 2.5 instead of 0.9 ms: see lab/bench/README.md.
setFlagsFromString('--no-allocation-site-pretenuring');

/** The process: starts missing parts, serves requests, and stops everything it started when it ends. */
await runUntilStopped((life) =>
  instanceNumber() === undefined
    ? startService(life, { dev: process.argv.includes('--dev') })
    : startInstance(life),
);
