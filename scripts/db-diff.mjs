import { bundle, enterProject, installDependencies } from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
await import(await bundle('scripts/db-diff.ts', 'db-diff'));
