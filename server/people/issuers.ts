import { settings } from '../base/env';

/** The issuers that users sign in with: each whose client is set. */

export type Provider = 'oidc' | 'google' | 'microsoft' | 'github';

/** `name` completes "Continue with". */
export type Issuer = { provider: Provider; name: string };

export function listIssuers(): Issuer[] {
  const clients = settings();
  const issuers: (Issuer & { clientId: string | undefined })[] = [
    { provider: 'oidc', name: clients.OIDC_NAME, clientId: clients.OIDC_CLIENT_ID },
    { provider: 'google', name: 'Google', clientId: clients.GOOGLE_CLIENT_ID },
    { provider: 'microsoft', name: 'Microsoft', clientId: clients.MICROSOFT_CLIENT_ID },
    { provider: 'github', name: 'GitHub', clientId: clients.GITHUB_CLIENT_ID },
  ];
  return issuers
    .filter(({ clientId }) => clientId !== undefined)
    .map(({ provider, name }) => ({ provider, name }));
}

export const nameOfProvider = (wanted: string): string =>
  listIssuers().find(({ provider }) => provider === wanted)?.name ?? wanted;

/** Whether the identity is one of OIDC_ISSUER, as it is set now. */
export const isOfCompany = ({ provider, issuer }: { provider: string; issuer: string }): boolean =>
  provider === 'oidc' && trimSlash(issuer) === trimSlash(settings().OIDC_ISSUER ?? '');

/** Some issuers write their address with a slash at its end in one place and without it in another. */
const trimSlash = (address: string): string => address.replace(/\/$/, '');
