import { bundle, enterProject, generateClient, installDependencies } from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
await generateClient();
await bundle('scripts/growth/growth.ts', 'growth');
await import('../.build/growth.mjs');
