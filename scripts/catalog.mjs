import { bundle, enterProject, installDependencies } from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
await import(await bundle('scripts/catalog.ts', 'catalog'));
