import { NextRequest } from 'next/server';
import { expect, test } from 'vitest';
import { openVisit } from '@/server/checkout/visits';
import { createPartner } from '@/server/partners/partner';
import { newDatabase } from '../harness';

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

test('a first-party window cannot be framed', async () => {
  expect(await readPolicy(await openPage('popup'))).toMatchObject({ 'frame-ancestors': "'none'" });
});

test('no other page allows Stripe, and only the gate can be framed by any origin', async () => {
  for (const path of ['/checkout/gate', '/checkout/return', '/account']) {
    const policy = await readPolicy(path);
    expect(JSON.stringify(policy)).not.toContain('stripe.com');
    expect(policy['frame-ancestors']).toBe(path === '/checkout/gate' ? undefined : "'none'");
  }
});
