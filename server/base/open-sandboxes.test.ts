import { describe, expect, it } from 'vitest';
import { readSettings } from './env';
import { describeSandboxes, findRealSettings } from './open-sandboxes';

const STRIPE = { STRIPE_PUBLISHABLE_KEY: 'pk_test_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' };
const LIVE = {
  ...STRIPE,
  STRIPE_SECRET_KEY: 'sk_live_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_x',
  BASE_URL: 'https://pay.example.com',
};

describe('the sandboxes are closed @attack', () => {
  it.each([
    ['OPENAI_API_KEY', { OPENAI_API_KEY: 'sk-real' }],
    ['MOONSHOT_API_KEY', { MOONSHOT_API_KEY: 'sk-real' }],
    ['ANTHROPIC_API_KEY', { ANTHROPIC_API_KEY: 'sk-real', ANTHROPIC_BASE_URL: 'https://proxy.example' }],
    ['SMTP_URL', { SMTP_URL: 'smtp://user:password@mail.example.com:587' }],
    ['BASE_URL', { BASE_URL: 'https://pay.example.com' }],
    ['BASE_URL', { BASE_URL: 'http://192.168.1.5:3000' }],
    ['BASE_URL', { BASE_URL: 'http://127.0.0.1.evil.example' }],
    ['BASE_URL', { BASE_URL: 'http://notlocalhost' }],
    ['CHECKOUT_URL', { CHECKOUT_URL: 'https://checkout.example.com' }],
    ['HOST', { HOST: '0.0.0.0' }],
    ['HOST', { HOST: '::' }],
    ['HOST', { HOST: '10.0.0.7' }],
  ])('by %s: %j', (name, given) => {
    expect(readSettings(given).SANDBOX).toBe('closed');
    expect(findRealSettings(readSettings(given))).toEqual([name]);
  });

  it.each(['sk_live_x', 'rk_live_x'])('by a live Stripe key: %s', (key) => {
    const given = readSettings({ ...LIVE, STRIPE_SECRET_KEY: key });
    expect(given.SANDBOX).toBe('closed');
    expect(findRealSettings(given)).toEqual(['STRIPE_SECRET_KEY', 'BASE_URL']);
  });

  it('by SANDBOX=closed', () => expect(readSettings({ SANDBOX: 'closed' }).SANDBOX).toBe('closed'));
});

describe('the sandboxes are open', () => {
  it.each([
    [{}],
    [{ PORT: '8080' }],
    [{ HOST: '127.0.0.1', BASE_URL: 'http://127.0.0.1:8080' }],
    [{ HOST: '::1', BASE_URL: 'http://[::1]:3000' }],
    [{ HOST: 'localhost', BASE_URL: 'http://svc.localhost:3000' }],
    [{ SMTP_URL: 'smtp://127.0.0.1:1025' }],
    [{ OPENAI_API_KEY: 'any', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }],
    [{ ...STRIPE, STRIPE_SECRET_KEY: 'sk_test_x' }],
    [{ SANDBOX: 'open', OPENAI_API_KEY: 'sk-real', HOST: '0.0.0.0' }],
  ])('with %j', (given) => expect(readSettings(given).SANDBOX).toBe('open'));
});

it('SANDBOX=open is refused with a live Stripe key @attack', () => {
  expect(() => readSettings({ ...LIVE, SANDBOX: 'open' })).toThrow('SANDBOX: expected to be unset');
});

describe('what an operator reads about the sandboxes', () => {
  const started = {
    SANDBOX_PROVIDER_URL: 'http://127.0.0.1:1/v1',
    SANDBOX_MAIL_URL: 'http://127.0.0.1:2',
    STRIPE_API_BASE: 'http://127.0.0.1:3',
    ...STRIPE,
    STRIPE_SECRET_KEY: 'sk_test_x',
  };

  it('names the open ones', () => {
    expect(describeSandboxes(readSettings(started))).toEqual({
      open: ['model provider', 'payments', 'mail'],
      warning: null,
    });
  });

  it('warns of those that SANDBOX=open keeps next to something real', () => {
    const { warning } = describeSandboxes(
      readSettings({ ...started, SANDBOX: 'open', OPENAI_API_KEY: 'sk-real', HOST: '0.0.0.0' }),
    );
    expect(warning).toContain(
      'next to OPENAI_API_KEY, HOST: anyone who can reach this service can read its mail',
    );
    expect(warning).toContain('buy credits with a test card');
  });

  it('names none once they are closed, and warns of a Stripe test key', () => {
    const closed = readSettings({ ...started, SANDBOX: 'closed' });
    expect(describeSandboxes(closed)).toEqual({ open: [], warning: expect.stringContaining('test key') });
    expect(describeSandboxes(readSettings({ ...LIVE }))).toEqual({ open: [], warning: null });
  });
});
