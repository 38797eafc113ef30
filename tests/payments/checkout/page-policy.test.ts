import { NextRequest } from 'next/server';
import { expect, test } from 'vitest';
import { createPartner } from '@/server/partners/partner';
import { openVisit } from '@/server/payments/checkout/visits';
import { newDatabase } from '../../harness';

/** What the policy of the payment page lets the browser load, frame and call with the real Stripe. */

await newDatabase();
Object.assign(process.env, {
  STRIPE_SECRET_KEY: 'sk_test_policy',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_policy',
  STRIPE_WEBHOOK_SECRET: 'whsec_policy',
  STRIPE_API_BASE: '',
});
const { proxy } = await import('@/proxy');
const ORIGIN = 'https://app.example.com';

async function readPolicy(path: string): Promise<{ [directive: string]: string }> {
  const response = await proxy(new NextRequest(`http://localhost:3000${path}`));
  const policy = response.headers.get('content-security-policy') ?? '';
  return Object.fromEntries(
    policy.split('; ').map((directive) => {
      const at = directive.indexOf(' ');
      return [directive.slice(0, at), directive.slice(at + 1)];
    }),
  );
}

async function openPage(display: 'embedded' | 'popup'): Promise<string> {
  const { publishableKey } = await createPartner({ name: 'Policy', rateBp: 0, origins: [ORIGIN] });
  const { visit } = await openVisit({
    clientIp: '',
    publishableKey,
    origin: ORIGIN,
    display,
    currency: 'usd',
    challenge: 'x'.repeat(43),
  });
  return `/checkout/${visit.id}`;
}

test('the payment page allows Stripe’s hosts and no others', async () => {
  const policy = await readPolicy(await openPage('embedded'));
  const stripe = 'https://js.stripe.com https://*.js.stripe.com';
  expect(policy).toMatchObject({
    'default-src': "'self'",
    'script-src': expect.stringMatching(/^'self' 'nonce-[\w+/=]+' 'strict-dynamic' /),
    'frame-src': `${stripe} https://hooks.stripe.com https://checkout.stripe.com`,
    'connect-src': "'self' https://api.stripe.com https://checkout.stripe.com https://r.stripe.com",
    'img-src': "'self' data: https://*.stripe.com",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': ORIGIN,
  });
  expect(policy['script-src']).toMatch(
    new RegExp(`${stripe} https://checkout.stripe.com$`.replaceAll('*', '\\*')),
  );
});

test('a first-party window cannot be framed @attack', async () => {
  expect(await readPolicy(await openPage('popup'))).toMatchObject({ 'frame-ancestors': "'none'" });
});

test('no other page allows Stripe, and only the gate can be framed by any origin @attack', async () => {
  for (const path of ['/checkout/gate', '/checkout/return', '/account']) {
    const policy = await readPolicy(path);
    expect(JSON.stringify(policy)).not.toContain('stripe.com');
    expect(policy['frame-ancestors']).toBe(path === '/checkout/gate' ? undefined : "'none'");
  }
});

test('a buyer who returns from the bank gets an address without the secret of the payment @attack', async () => {
  const at = async (address: string) => {
    const response = await proxy(new NextRequest(address));
    return [response.status, response.headers.get('location'), response.headers.get('referrer-policy')];
  };
  const added = 'intent=pi_1&payment_intent_client_secret=pi_1_secret_2&redirect_status=succeeded';
  for (const [path, clean] of [
    ['/checkout/return?session_id=cks_1&payment_', '/checkout/return?session_id=cks_1'],
    ['/account/buy/return?session_id=cks_1&payment_', '/account/buy/return?session_id=cks_1'],
    ['/account/payment/confirm/cks_1?back=bank&payment_', '/account/payment/confirm/cks_1?back=bank'],
    ['/account/payment?setup_', '/account/payment'],
  ] as const) {
    const kind = /[a-z]+_$/.exec(path)?.[0];
    const from = `http://localhost:3000${path}${added.replace('payment_intent_', `${kind}intent_`)}`;
    expect(await at(from)).toEqual([303, `http://localhost:3000${clean}`, 'no-referrer']);
  }
  // The host of the request is that of the proxy in front of us, or whatever the caller wrote.
  expect((await at(`http://evil.example//evil.example/x?payment_${added}`))[1]).toMatch(
    /^http:\/\/localhost:3000\//,
  );
  expect((await at('http://localhost:3000/checkout/return?session_id=cks_1'))[1]).toBeNull();
});
