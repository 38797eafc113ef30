import { bundle, enterProject, installDependencies } from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
await bundle('scripts/db-diff.ts', 'db-diff');
await import('../.build/db-diff.mjs');
