import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, expect } from 'vitest';
import * as stripeEvents from '@/app/api/stripe/route';
import * as allowance from '@/app/checkout/api/visits/[id]/allowance/route';
import * as cardPayments from '@/app/checkout/api/visits/[id]/card-payments/route';
import * as removedCard from '@/app/checkout/api/visits/[id]/cards/remove/route';
import * as cards from '@/app/checkout/api/visits/[id]/cards/route';
import * as payment from '@/app/checkout/api/visits/[id]/payments/[session]/route';
import * as payments from '@/app/checkout/api/visits/[id]/payments/route';
import * as promotion from '@/app/checkout/api/visits/[id]/promotion/route';
import * as recognise from '@/app/checkout/api/visits/[id]/recognise/route';
import * as visit from '@/app/checkout/api/visits/[id]/route';
import * as sendCode from '@/app/checkout/api/visits/[id]/send-code/route';
import * as signInToken from '@/app/checkout/api/visits/[id]/sign-in-token/route';
import * as signOut from '@/app/checkout/api/visits/[id]/sign-out/route';
import * as verifyCode from '@/app/checkout/api/visits/[id]/verify-code/route';
import * as visits from '@/app/checkout/api/visits/route';
import * as apiCheckoutSession from '@/app/v1/credits/checkout/[id]/route.api';
import * as apiCheckout from '@/app/v1/credits/checkout/route.api';
import { startSandboxMail } from '@/sandbox/mail/server';
import { startSandboxPayments } from '@/sandbox/payments/server';
import { inTransaction, prisma } from '@/server/base/db';
import { openSealed } from '@/server/base/seal';
import { createPartner } from '@/server/partners/partner';
import { newSealedSecret } from '@/server/partners/webhooks/signing-secret';
import { openAppUser } from '@/server/people/app-users';
import { mintUserKey } from '@/server/people/keys/mint';
import { openSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';

/** The checkout over real HTTP, with the sandbox processor and a mailbox. */

type Handler = (request: Request, context: { params: Promise<never> }) => Promise<Response>;
type Route = { [method: string]: unknown };

const ROUTES: [string, Route][] = [
  ['/checkout/api/visits', visits],
  ['/checkout/api/visits/:id', visit],
  ['/checkout/api/visits/:id/send-code', sendCode],
  ['/checkout/api/visits/:id/verify-code', verifyCode],
  ['/checkout/api/visits/:id/sign-in-token', signInToken],
  ['/checkout/api/visits/:id/recognise', recognise],
  ['/checkout/api/visits/:id/allowance', allowance],
  ['/checkout/api/visits/:id/sign-out', signOut],
  ['/checkout/api/visits/:id/promotion', promotion],
  ['/checkout/api/visits/:id/payments', payments],
  ['/checkout/api/visits/:id/payments/:session', payment],
  ['/checkout/api/visits/:id/cards', cards],
  ['/checkout/api/visits/:id/cards/remove', removedCard],
  ['/checkout/api/visits/:id/card-payments', cardPayments],
  ['/api/stripe', stripeEvents],
  ['/v1/credits/checkout', apiCheckout],
  ['/v1/credits/checkout/:id', apiCheckoutSession],
];

export const SECRET_KEY = 'sk_test_checkout_tests';
export const WEBHOOK_SECRET = 'whsec_checkout_tests';
export const APP_ORIGIN = 'https://app.example.com';

export type World = Awaited<ReturnType<typeof startCheckout>>;

/** Call after `newDatabase()` and before anything reads the settings. */
export async function startCheckout() {
  const server = createServer(getRequestListener(dispatch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const mail = await startSandboxMail();
  const sandbox = await startSandboxPayments({
    secretKey: SECRET_KEY,
    webhookUrl: `${url}/api/stripe`,
    webhookSecret: WEBHOOK_SECRET,
    store: { load: async () => [], save: async () => {}, clear: async () => {} },
    webhookRetryDelaysMs: [50, 100, 200],
  });
  Object.assign(process.env, {
    BASE_URL: url,
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_BASE: sandbox.url,
    SMTP_URL: mail.smtpUrl,
    LIMIT_CODE_RESEND_SECONDS: '0',
    LIMIT_CODES_PER_EMAIL_PER_HOUR: '0',
    // No proxy names the clients here: all of them share one network.
    LIMIT_CODES_PER_ADDRESS_PER_HOUR: '0',
  });
  afterAll(async () => {
    await Promise.all([sandbox.close(), mail.close()]);
    server.closeAllConnections();
    server.close();
  });
  const app = await newApp('Notes');
  return { url, sandboxUrl: sandbox.url, mailUrl: mail.httpUrl, app, stopProcessor: () => sandbox.close() };
}

async function dispatch(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname;
  for (const [pattern, route] of ROUTES) {
    const match = new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`).exec(path);
    const handler = match && (route[request.method] as Handler | undefined);
    if (handler) return handler(request, { params: Promise.resolve({ ...match.groups } as never) });
  }
  return new Response(null, { status: 404 });
}

export type App = { id: string; publishableKey: string };

/** A partner with a webhook endpoint, so that every event is recorded. */
export async function newApp(name: string): Promise<App> {
  const { id, publishableKey } = await createPartner({ name, rateBp: 2500, origins: [APP_ORIGIN] });
  await prisma().partner.update({
    where: { id },
    data: { webhookUrl: 'https://app.example.com/hook', webhookSecret: newSealedSecret(id) },
  });
  return { id, publishableKey };
}

/** A user of the app with a key, as the app's server holds it. */
export async function newUserKey(
  app: App,
  email: string,
): Promise<{ userKey: string; userId: string; keyId: string }> {
  return inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, email);
    const session = await openSession(tx, { userId, userAgent: 'test' });
    await openAppUser(tx, { userId, partnerId: app.id });
    const { userKey, keyId } = await mintUserKey(tx, { userId, partnerId: app.id, session });
    return { userKey, userId, keyId };
  });
}

export type ApiResponse = { status: number; body: Record<string, never>; headers: Headers };

export async function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<ApiResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers };
}

export const VERIFIER = randomBytes(32).toString('base64url');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export function openRequest(world: World, changes: Record<string, unknown> = {}) {
  return {
    publishable_key: world.app.publishableKey,
    origin: APP_ORIGIN,
    display: 'embedded',
    currency: 'usd',
    challenge: CHALLENGE,
    metadata: { account: 'a-17' },
    ...changes,
  };
}

/** One checkout window, as its page talks to the server. */
export class CheckoutWindow {
  private constructor(
    private readonly world: World,
    readonly visitId: string,
    readonly cookie: string,
  ) {}

  /** `session` is the cookie of a browser that is signed in to the service. */
  static async open(
    world: World,
    changes: Record<string, unknown> = {},
    session = '',
  ): Promise<CheckoutWindow> {
    const response = await send(
      `${world.url}/checkout/api/visits`,
      'POST',
      { origin: world.url, cookie: session },
      openRequest(world, changes),
    );
    expect(response.status).toBe(201);
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
    return new CheckoutWindow(world, String(response.body.visit_id), cookie);
  }

  get(path = ''): Promise<ApiResponse> {
    return send(this.url(path), 'GET', { cookie: this.cookie });
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return send(this.url(path), 'POST', { origin: this.world.url, cookie: this.cookie, ...headers }, body);
  }

  async signIn(
    email: string,
    more: { changes_account?: boolean } = {},
  ): Promise<{ sign_in_token: string; state: Record<string, unknown> }> {
    const response = await this.post('/verify-code', { ...(await this.requestCode(email)), ...more });
    expect(response.status).toBe(200);
    return response.body as never;
  }

  /** What a user who reads the mail enters. */
  async requestCode(email: string): Promise<{ challenge_id: string; email: string; code: string }> {
    const { body: sent } = await this.post('/send-code', { email });
    return { challenge_id: String(sent.challenge_id), email, code: await this.readCode(email) };
  }

  async readCode(email: string): Promise<string> {
    return /\d{6}/.exec((await this.readMail(email))?.text ?? '')?.[0] ?? '';
  }

  /** The newest mail. */
  async readMail(email: string): Promise<{ subject: string; text: string } | undefined> {
    const response = await fetch(`${this.world.mailUrl}/mails?to=${encodeURIComponent(email)}`);
    return ((await response.json()) as { subject: string; text: string }[])[0];
  }

  /** Starts a payment and returns the response. */
  async startPayment(
    options: Record<string, unknown> = {},
  ): Promise<{ session_id: string; payment: { embed_url: string; url: string } }> {
    const response = await this.post('/payments', {
      amount: 10,
      currency: 'usd',
      checkout_mode: 'embedded',
      ...options,
    });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    return response.body as never;
  }

  private url(path: string): string {
    return `${this.world.url}/checkout/api/visits/${this.visitId}${path}`;
  }
}

/** Pays in the processor's form, by default with the card that always succeeds. */
export async function payByCard(
  formUrl: string,
  number = '4242 4242 4242 4242',
  more: { save?: 'accepted' } = {},
): Promise<{ status: string }> {
  const { body } = await send(
    formUrl,
    'POST',
    {},
    { number, expiry: '12/40', cvc: '123', name: 'Ada Lovelace', ...more },
  );
  return body as never;
}

export async function setWebhooks(world: World, webhooks: 'on' | 'hold' | 'twice'): Promise<void> {
  await send(`${world.sandboxUrl}/__sandbox/control`, 'POST', {}, { webhooks });
}

/** Returns the decrypted events that the app was sent. */
export async function readEvents(app: App, type: string): Promise<{ data: Record<string, unknown> }[]> {
  const events = await prisma().event.findMany({
    where: { partnerId: app.id, type },
    orderBy: { createdAt: 'asc' },
  });
  return events.map(({ id, body }) => JSON.parse(openSealed(body ?? new Uint8Array(), id)));
}
