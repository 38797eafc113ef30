import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { settings } from '../env';

/**
 * The output of `widget/build.mjs` is served under /v1 next to the API, but as files: the script,
 * its types, its integrity hash, and immutable copies at versioned URLs. So are the files of the checkout
 * (`app/checkout/build.mjs`), whose names contain the hash of their content, except for the list of them.
 */
const WIDGET_FILE =
  /^\/v1\/(?:svc\.(?:js|json|d\.ts)|buttons\/[\w-]+\.svg|(\d+\.\d+\.\d+)\/(?:svc\.js|(?:svc-checkout|create-svc-app)\.tgz)|(checkout)\/[\w.-]+\.(?:js|css|woff2)|checkout\/files\.json)$/;

/** Whether the path is versioned, or null when it is not a widget file. */
export function findWidgetFile(pathname: string): { isPinned: boolean } | null {
  const match = WIDGET_FILE.exec(pathname);
  return match && { isPinned: (match[1] ?? match[2]) !== undefined };
}

const PUBLIC = path.join(/* turbopackIgnore: true */ process.cwd(), 'public');
const PLACEHOLDER = '__SVC_CHECKOUT_URL__';

/**
 * The text of a widget file with the address of the checkout, or null if the file is served as it was built: the
 * script then finds the checkout on its own host. The address is a setting, and a build has none.
 */
export async function addCheckoutUrl(pathname: string): Promise<string | null> {
  const { CHECKOUT_URL, SDK_URL } = settings();
  if (new URL('/checkout', SDK_URL).href === CHECKOUT_URL) return null;
  if (pathname.endsWith('/svc.js')) return readScript(pathname, CHECKOUT_URL);
  if (pathname !== '/v1/svc.json') return null;
  const about = JSON.parse(await readPublic(pathname)) as { path: string };
  const hash = createHash('sha384').update(await readScript(about.path, CHECKOUT_URL));
  return `${JSON.stringify({ ...about, integrity: `sha384-${hash.digest('base64')}` }, null, 2)}\n`;
}

/** The placeholder is in a string literal. */
async function readScript(pathname: string, checkoutUrl: string): Promise<string> {
  const script = await readPublic(pathname);
  return script.replaceAll(PLACEHOLDER, () => JSON.stringify(checkoutUrl).slice(1, -1));
}

const readPublic = (pathname: string): Promise<string> => readFile(path.join(PUBLIC, pathname), 'utf8');
