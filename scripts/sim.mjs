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
await buildWidget();
await buildPages();
await bundleServer();
await bundle('scripts/sim.ts', 'sim');
await import('../.build/sim.mjs');
