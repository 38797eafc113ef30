import { bundle, enterProject, installDependencies } from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
await bundle('scripts/catalog.ts', 'catalog');
await import('../.build/catalog.mjs');
