import {
  buildPages,
  buildWidget,
  bundle,
  bundleServer,
  enterProject,
  generateClient,
  installDependencies,
} from './steps.mjs';

enterProject();
await installDependencies({ dev: true });
await generateClient();
if (!process.argv.some((argument) => argument.startsWith('--operations'))) {
  // Only the simulation of whole instances runs them.
  await buildWidget();
  await buildPages();
  await bundleServer();
}
await import(await bundle('scripts/sim.ts', 'sim'));
