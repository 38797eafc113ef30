import { setFlagsFromString } from 'node:v8';

/** Settings of V8, imported before everything else because it reads them when it plans its next collection. */

// Without this, V8 allocates parts of each query among the old objects. They keep younger ones alive until the next full
// collection, which makes every short collection pause for 2.5 instead of 0.9 ms: see bench/README.md.
setFlagsFromString('--no-allocation-site-pretenuring');
// After eight quiet seconds, V8 would discard the code it has compiled, and the next thousands of requests would take twice
// the CPU. Now it waits for a day.
setFlagsFromString('--gc-memory-reducer-start-delay-ms=86400000');
