import {
  buildPages,
  buildWidget,
  bundleServer,
  enterProject,
  generateClient,
  installDependencies,
  loadEnvFile,
} from './steps.mjs';

/** `npm start`, and `npm run dev` with --dev: sets up what is missing, then runs the server. */

const dev = process.argv.includes('--dev');
enterProject();
loadEnvFile();
process.env.NODE_ENV ||= dev ? 'development' : 'production';

await installDependencies({ dev });
await generateClient();
await buildWidget();
if (!dev) await buildPages();
await bundleServer();
await import('../.build/main.mjs');
