import { enterProject, npm } from '../../scripts/steps.mjs';

/** `npm run package-lint`: checks the exports and types of the package that the installation serves. */

enterProject();
const FILE = 'public/v1/1.0.0/svc-checkout.tgz';
for (const words of [
  ['publint@0.3.25', FILE, '--strict'],
  ['@arethetypeswrong/cli@0.18', FILE],
])
  process.stdout.write(await npm('exec', '--yes', '--', ...words));
