import type { OAuthConfig } from 'next-auth/providers/oauth';
import { SECOND_MS } from '@/server/base/clock';
import { settings } from '@/server/base/env';
import type { Claims } from '@/server/people/identities';
import { listIssuers, type Provider } from '@/server/people/issuers';

/** The issuers for next-auth, each with the strictest checks. Of the profile, only the claims are used. */

type AuthProvider = OAuthConfig<Claims>;
type Request = Parameters<NonNullable<Exclude<AuthProvider['userinfo'], string | undefined>['request']>>[0];

/** next-auth names only what an issuer sends. */
type Tokens = Exclude<Parameters<Request['client']['userinfo']>[0], string>;

const TIMEOUT_MS = 5 * SECOND_MS;

export const authProviders = (): AuthProvider[] =>
  listIssuers().map(({ provider }) => ({
    id: provider,
    name: provider,
    type: 'oauth',
    profile: ({ sub }) => ({ id: String(sub ?? '') }),
    httpOptions: { timeout: TIMEOUT_MS },
    ...describe(provider),
  }));

function describe(provider: Provider): Partial<AuthProvider> & Pick<AuthProvider, 'clientId'> {
  const given = settings();
  switch (provider) {
    case 'oidc':
      return openId(given.OIDC_ISSUER, given.OIDC_CLIENT_ID, given.OIDC_CLIENT_SECRET);
    case 'google':
      return openId('https://accounts.google.com', given.GOOGLE_CLIENT_ID, given.GOOGLE_CLIENT_SECRET);
    case 'microsoft':
      return openId(
        'https://login.microsoftonline.com/common/v2.0',
        given.MICROSOFT_CLIENT_ID,
        given.MICROSOFT_CLIENT_SECRET,
      );
    case 'github':
      return gitHub(given.GITHUB_CLIENT_ID, given.GITHUB_CLIENT_SECRET);
  }
}

const openId = (issuer = '', clientId = '', clientSecret = ''): Partial<AuthProvider> => ({
  clientId,
  clientSecret,
  wellKnown: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  authorization: { params: { scope: 'openid email profile' } },
  idToken: true,
  checks: ['pkce', 'state', 'nonce'],
  userinfo: { request: readClaims },
});

/** Some issuers put the address only in the response of their user info endpoint. */
async function readClaims({ client, tokens }: Request): Promise<Claims> {
  const proven = tokens as Tokens;
  const claims = proven.claims();
  if (claims.email !== undefined || client.issuer.metadata.userinfo_endpoint === undefined) return claims;
  return { ...(await client.userinfo(proven)), ...claims };
}

/** GitHub issues no ID token, and so has no nonce. */
const gitHub = (clientId = '', clientSecret = ''): Partial<AuthProvider> => ({
  clientId,
  clientSecret,
  issuer: 'https://github.com/login/oauth',
  authorization: {
    url: 'https://github.com/login/oauth/authorize',
    params: { scope: 'user:email' },
  },
  token: 'https://github.com/login/oauth/access_token',
  checks: ['pkce', 'state'],
  userinfo: { request: ({ tokens }) => readGitHubClaims(tokens.access_token ?? '') },
});

type GitHubEmail = { email: string; primary: boolean; verified: boolean };

/** As claims. The profile shows an address of the user's choice; the list says which one is verified. */
export async function readGitHubClaims(token: string, api = 'https://api.github.com'): Promise<Claims> {
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(`${api}/${path}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`GitHub responded with status ${response.status}`);
    return response.json();
  };
  const [user, emails] = await Promise.all([read('user'), read('user/emails')]);
  const primary = (emails as GitHubEmail[]).find((address) => address.primary);
  return {
    iss: 'https://github.com',
    sub: String((user as { id: number }).id),
    email: primary?.email,
    email_verified: primary?.verified,
  };
}
