import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { enterProject, fail } from '../../scripts/steps.mjs';
import { createEnvironment } from '../clients/python.mjs';
import { run } from '../run.mjs';

/**
 * `npm run chart`: lints the Helm chart, renders it in several ways, checks the result against the schemas of
 * Kubernetes, and that wrong values are refused.
 */

const KUBERNETES = '1.34';
const CHART = 'deploy/helm';
const BASE = ['settings.BASE_URL=https://pay.example.com'];

/** @type {Record<string, string[]>} */
const RENDERINGS = {
  default: BASE,
  autoscaling: [...BASE, 'autoscaling.enabled=true', 'autoscaling.minReplicas=3'],
  pinned: [...BASE, `image.digest=sha256:${'0'.repeat(64)}`, 'image.pullSecrets[0]=registry'],
  'without ingress': [...BASE, 'ingress.enabled=false'],
  'with its own ingress': [
    ...BASE,
    'ingress.className=nginx',
    'ingress.annotations.nginx\\.ingress\\.kubernetes\\.io/proxy-body-size=32m',
    'nodeSelector.disk=ssd',
    'tolerations[0].operator=Exists',
  ],
};

/** @type {Record<string, string[]>} */
const REFUSED = {
  'settings.BASE_URL': [],
  'image.digest': [...BASE, 'image.digest=latest'],
  replica: [...BASE, 'replica=3'],
  autoscaling: [...BASE, 'autoscaling.targetCPU=0'],
  'settings.MIGRATE': [...BASE, 'settings.MIGRATE=auto'],
};

enterProject();
const FOLDER = path.resolve('.build/chart');
if (spawnSync('helm', ['version']).error)
  fail('helm was not found. Install it: go install helm.sh/helm/v3/cmd/helm@v3.16.4');
mkdirSync(FOLDER, { recursive: true });
run('helm', ['lint', '--strict', CHART, ...set(BASE)]);
const python = createEnvironment(path.join(FOLDER, 'python'), 'kubernetes-validate==1.37.0');
for (const [name, values] of Object.entries(RENDERINGS)) {
  const { status, stdout, stderr } = render(values);
  if (status !== 0) fail(`${name}: ${stderr}`);
  const file = path.join(FOLDER, `${name.replaceAll(' ', '-')}.yaml`);
  writeFileSync(file, stdout);
  run(path.join(path.dirname(python), 'kubernetes-validate'), ['--strict', '-k', KUBERNETES, file]);
}
for (const [field, values] of Object.entries(REFUSED)) {
  const { status, stderr } = render(values);
  if (status === 0 || !stderr.includes(field)) fail(`${field} should be refused, and named: ${stderr}`);
  console.log(`refused as it should be: ${field}`);
}

/** @param {string[]} values */
function render(values) {
  const options = ['--kube-version', `${KUBERNETES}.0`, ...set(values)];
  return spawnSync('helm', ['template', 'svc', CHART, ...options], { encoding: 'utf8' });
}

/** @param {string[]} values */
function set(values) {
  return values.flatMap((value) => ['--set', value]);
}
