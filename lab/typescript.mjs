import path from 'node:path';
import { bundle, enterProject, generateClient, installDependencies, loadEnvFile } from '../scripts/steps.mjs';

/** `node typescript.mjs FILE`: runs a program in TypeScript that imports from the product. */

const [file = ''] = process.argv.splice(2, 1);
enterProject();
loadEnvFile();
await installDependencies({ dev: true });
await generateClient();
await import(await bundle(`lab/${file}`, path.basename(file, '.ts')));
