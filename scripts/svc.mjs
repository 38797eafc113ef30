import { bundleServer, enterProject, generateClient, installDependencies, loadEnvFile } from './steps.mjs';

/** `npm run svc -- …`: the operator's commands. */

enterProject();
loadEnvFile();
await installDependencies();
await generateClient();
await bundleServer();
await import('../.build/cli.mjs');
