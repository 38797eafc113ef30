import { baseUrlVariable, ENDPOINTS, keyVariable, type ProviderName } from './endpoints';

/**
 * Sandboxes replace a provider, payments and mail for anyone who can reach the service: its mail, with every
 * sign-in code, is public, and credits cost nothing. So they close next to real credentials, and where others
 * can reach the service, unless `SANDBOX=open` asks for them.
 */

type SettingValues = Readonly<Record<string, unknown>>;

const PROVIDERS = Object.keys(ENDPOINTS) as ProviderName[];
const LOOPBACK_HOST = /^(127(\.\d{1,3}){3}|\[?::1\]?|([^/]+\.)?localhost)$/i;

export const isLoopbackHost = (host: string): boolean => LOOPBACK_HOST.test(host);

export const isRealUrl = (url: unknown): boolean =>
  url !== undefined && !isLoopbackHost(new URL(String(url)).hostname);

/**
 * The settings that close the sandboxes. A server on this machine needs no real credential, and a Stripe test
 * key moves no money.
 */
export function findRealSettings(given: SettingValues): string[] {
  const keys = PROVIDERS.filter(
    (name) => given[keyVariable(name)] !== undefined && isRealUrl(given[baseUrlVariable(name)]),
  ).map(keyVariable);
  return [
    ...keys,
    ...(/^(sk|rk)_live_/.test(String(given.STRIPE_SECRET_KEY)) ? ['STRIPE_SECRET_KEY'] : []),
    ...['SMTP_URL', 'BASE_URL'].filter((name) => isRealUrl(given[name])),
    ...(isRealUrl(given.CHECKOUT_URL) && !isDefaultCheckout(given) ? ['CHECKOUT_URL'] : []),
    ...(isLoopbackHost(String(given.HOST)) ? [] : ['HOST']),
  ];
}

const isDefaultCheckout = ({ CHECKOUT_URL, BASE_URL }: SettingValues): boolean =>
  String(CHECKOUT_URL).startsWith(`${BASE_URL}/`);

export type Sandboxes = { open: string[]; warning: string | null };

/** Which sandboxes a started service has, and what an operator should know about it. */
export function describeSandboxes(config: SettingValues): Sandboxes {
  const open = Object.entries({
    'model provider': config.SANDBOX_PROVIDER_URL,
    payments: config.STRIPE_API_BASE,
    mail: config.SANDBOX_MAIL_URL,
  }).flatMap(([name, url]) => (url === undefined || config.SANDBOX === 'closed' ? [] : [name]));
  return { open, warning: findWarning(config, open) };
}

function findWarning(config: SettingValues, open: string[]): string | null {
  const real = findRealSettings(config);
  if (open.length > 0 && real.length > 0)
    return (
      `SANDBOX=open keeps them next to ${real.join(', ')}: anyone who can reach this service can ` +
      [
        open.includes('mail') && 'read its mail, including sign-in codes',
        open.includes('payments') && 'buy credits with a test card',
        open.includes('model provider') && 'use the sandbox models',
      ]
        .filter(Boolean)
        .join(', ')
    );
  return open.length === 0 && String(config.STRIPE_SECRET_KEY).includes('_test_')
    ? 'STRIPE_SECRET_KEY is a test key: anyone who can reach this service can buy credits with a test card'
    : null;
}
