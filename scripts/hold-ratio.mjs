import { bundle, enterProject, installDependencies } from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
await bundle('scripts/hold-ratio.ts', 'hold-ratio');
await import('../.build/hold-ratio.mjs');
