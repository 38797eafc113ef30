import { buildAll, enterProject, requireDependencies } from './steps.mjs';

/** `npm run build`: everything that `npm run start:production` runs. */

enterProject();
requireDependencies();
await buildAll();
