import { finishIssuerSignIn, startIssuerSignIn } from '@/app/_session/issuer-sign-in';
import { PENDING_IDENTITY_COOKIE } from '@/server/people/pending-identity';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { findSession, type LiveSession } from '@/server/people/sessions';

/** A browser that signs in with an issuer: keeps cookies, follows redirects, and calls our two routes. */
export class IssuerBrowser {
  readonly cookies = new Map<string, string>();
  private readonly atIssuer = new Map<string, string>();

  constructor(
    readonly service: string,
    readonly clientIp = '127.0.0.1',
  ) {}

  /** Returns the address of the issuer. */
  async begin(start = '/sign-in', provider = 'oidc'): Promise<string> {
    const address = `${this.service}/api/auth/signin/${provider}?start=${encodeURIComponent(start)}`;
    const headers = { origin: this.service, 'sec-fetch-site': 'same-origin', cookie: this.cookieHeader };
    const response = await startIssuerSignIn(new Request(address, { method: 'POST', headers }), provider);
    this.keep(response, this.cookies);
    return ((await response.json()) as { url: string }).url;
  }

  /** Follows the issuer's pages until they lead back. Returns that address. */
  async visit(address: string): Promise<string> {
    let at = address;
    while (!at.startsWith(this.service)) {
      const response = await fetch(at, { redirect: 'manual', headers: { cookie: write(this.atIssuer) } });
      this.keep(response, this.atIssuer);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`The issuer responded with ${response.status} at ${at}`);
      at = new URL(location, at).href;
    }
    return at;
  }

  /** Returns where our callback sends the browser. */
  async comeBack(address: string, provider = 'oidc'): Promise<string> {
    const response = await finishIssuerSignIn(
      new Request(address, { headers: { cookie: this.cookieHeader } }),
      provider,
    );
    this.keep(response, this.cookies);
    return (response.headers.get('location') ?? '').replace(this.service, '');
  }

  async signIn(start?: string): Promise<string> {
    return this.comeBack(await this.visit(await this.begin(start)));
  }

  signOutOfIssuer(): void {
    this.atIssuer.clear();
  }

  get pendingIdentity(): string | null {
    return this.cookies.get(PENDING_IDENTITY_COOKIE) ?? null;
  }

  get sessionToken(): string | null {
    return this.cookies.get(SESSION_COOKIE) ?? null;
  }

  async session(): Promise<LiveSession | null> {
    return this.sessionToken === null ? null : findSession(this.sessionToken);
  }

  private get cookieHeader(): string {
    return write(this.cookies);
  }

  private keep(response: Response, jar: Map<string, string>): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(/; */);
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '' || attributes.some((attribute) => /^max-age=0$/i.test(attribute))) jar.delete(name);
      else jar.set(name, value);
    }
  }
}

const write = (jar: Map<string, string>): string =>
  [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
