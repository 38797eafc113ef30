import { bundle, enterProject, installDependencies } from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
const { writeFunctionsMigration } = await import(
  await bundle('scripts/functions-migration.ts', 'functions-migration')
);
writeFunctionsMigration();
