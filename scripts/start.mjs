import {
  buildAll,
  buildWidget,
  bundleServer,
  enterProject,
  generateClient,
  installDependencies,
  loadEnvFile,
  requireBuild,
  requireDependencies,
} from './steps.mjs';

/**
 * `npm start`, and `npm run dev` with --dev: sets up what is missing, then runs the server.
 * `npm run start:production` with --built: installs, builds and writes nothing, and stops if something is missing.
 */

const dev = process.argv.includes('--dev');
enterProject();
loadEnvFile();
process.env.NODE_ENV ||= dev ? 'development' : 'production';

if (process.argv.includes('--built')) {
  requireDependencies();
  requireBuild();
} else {
  await installDependencies({ dev });
  if (dev) {
    await generateClient();
    await buildWidget();
    await (await import('../app/checkout/build.mjs')).watchCheckout();
    await bundleServer();
  } else {
    await buildAll();
  }
}
await import('../.build/main.mjs');
