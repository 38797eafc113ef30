import { bundle, enterProject, generateClient, installDependencies, loadEnvFile } from './steps.mjs';

enterProject();
loadEnvFile();
await installDependencies({ dev: true });
await generateClient();
await bundle('scripts/year.ts', 'year');
await import('../.build/year.mjs');
