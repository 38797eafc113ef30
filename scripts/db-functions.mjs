import { bundle, enterProject, installDependencies } from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
await bundle('scripts/functions-migration.ts', 'functions-migration');
const { writeFunctionsMigration } = await import('../.build/functions-migration.mjs');
writeFunctionsMigration();
