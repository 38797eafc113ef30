import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/** A real OpenID Connect issuer on loopback. The person who signs in there next is a variable. */

export const CLIENT = { id: 'svc', secret: 'a client secret of the tests' };

export type Person = {
  sub: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
};

type IdToken = Record<string, unknown>;

export class LoopbackIssuer {
  /** Signs in at the issuer whenever a browser comes. Null declines. */
  person: Person | null = null;
  /** Changes the claims of the next ID tokens, which the issuer's own key signs. */
  tamper: ((claims: IdToken) => IdToken) | undefined;
  /** How often a token was requested. */
  exchanges = 0;

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  /** `callback` is where the client expects its responses. */
  static async open(callback: string): Promise<LoopbackIssuer> {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = new LoopbackIssuer(url, () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    });
    const provider = withoutAdvice(() => new Provider(url, issuer.configure(privateKey, callback)));
    issuer.serve(provider, privateKey);
    server.on('request', provider.callback());
    return issuer;
  }

  private configure(key: KeyObject, callback: string): Configuration {
    return {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [callback] }],
      jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: 'tests', use: 'sig', alg: 'RS256' }] } as never,
      cookies: { keys: ['a cookie key of the tests'] },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
      interactions: { url: (_, { uid }) => `/enter/${uid}` },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...this.person, sub }) }),
      async loadExistingGrant({ oidc }) {
        const { provider, client, session } = oidc;
        if (client === undefined || session?.accountId === undefined) return undefined;
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    };
  }

  private serve(provider: Provider, key: KeyObject): void {
    provider.use(async (context, next) => {
      if (context.path.startsWith('/enter/')) return this.enter(provider, context);
      await next();
      if (context.path === '/token') this.changeToken(context.body, key);
    });
  }

  private async enter(
    provider: Provider,
    { req, res }: { req: IncomingMessage; res: ServerResponse },
  ): Promise<void> {
    const result =
      this.person === null
        ? { error: 'access_denied' }
        : { login: { accountId: this.person.sub, remember: false } };
    await provider.interactionFinished(req, res, result);
  }

  private changeToken(body: unknown, key: KeyObject): void {
    this.exchanges++;
    const { id_token: token } = body as { id_token?: string };
    if (this.tamper === undefined || token === undefined) return;
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as IdToken;
    (body as { id_token: string }).id_token = sign(this.tamper(claims), key);
  }
}

function sign(claims: IdToken, key: KeyObject): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'RS256', kid: 'tests' })}.${encode(claims)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(key).toString('base64url')}`;
}

/** It advises on its console what a production needs. */
function withoutAdvice<Value>(work: () => Value): Value {
  const { warn, info } = console;
  console.warn = () => {};
  console.info = () => {};
  try {
    return work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
