import { afterEach, beforeEach, expect, it } from 'vitest';
import { POST as sendCode } from '@/app/v1/auth/send-code/route.api';
import { POST as verifyCode } from '@/app/v1/auth/verify-code/route.api';
import { DAY_MS, HOUR_MS, now, SECOND_MS, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { ApiError } from '@/server/base/errors';
import { openVisit } from '@/server/payments/checkout/visits';
import { requireRoomForCode } from '@/server/people/login-limits';
import { sendServiceCode, signInToService } from '@/server/people/sign-in-to-service';
import { newDatabase } from '../../harness';
import { newPartner } from './app-world';
import { openMailbox, wrongCode } from './mailbox';

/** The limits of sign-in codes as strangers and users meet them, with the default settings. */

await newDatabase();
const mailbox = await openMailbox();
const [app, evil] = [await newPartner(), await newPartner()];

let time = Math.floor(now() / SECOND_MS) * SECOND_MS;
const wait = (ms: number) => {
  time += ms;
};

beforeEach(() => {
  wait(3 * DAY_MS);
  setClock(() => time);
  setLimits({});
});
afterEach(() => setClock());

function setLimits(limits: { perAddress?: number; perApp?: number; resendSeconds?: number }): void {
  Object.assign(settings(), {
    LIMIT_CODES_PER_EMAIL_PER_HOUR: 5,
    LIMIT_CODES_PER_ADDRESS_PER_HOUR: limits.perAddress ?? 20,
    LIMIT_CODES_PER_APP_PER_HOUR: limits.perApp ?? 1_000,
    LIMIT_CODE_RESEND_SECONDS: limits.resendSeconds ?? 0,
  });
}

let count = 0;
const newEmail = () => `limited-${++count}@example.com`;
const ipv4 = (n: number) => `198.18.${n >> 8}.${n & 255}`;

async function call(route: (request: Request) => Promise<Response>, body: object, ip: string) {
  const headers = { 'x-svc-client-address': ip };
  const response = await route(
    new Request('http://localhost/', { method: 'POST', body: JSON.stringify(body), headers }),
  );
  const json = (await response.json()) as {
    challenge_id?: string;
    error?: { type: string; message: string };
  };
  return {
    outcome: json.error?.type ?? 'ok',
    message: json.error?.message,
    challengeId: json.challenge_id,
    retryAfter: Number(response.headers.get('retry-after')),
  };
}

/** Requests a code through an app. */
const ask = (email: string, ip: string, { publishableKey } = app) =>
  call(sendCode, { publishable_key: publishableKey, email }, ip);

/** Requests a code on the service's own pages. */
async function askOwnPages(email: string, clientIp: string, browserCookie?: string) {
  try {
    const { challengeId } = await sendServiceCode({
      email,
      clientIp,
      ...(browserCookie && { browserCookie }),
    });
    return { outcome: 'ok', challengeId };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { outcome: error.code, retryAfter: error.retryAfterSeconds };
  }
}

const enter = (
  challengeId: string | undefined,
  email: string,
  code: string,
  ip: string,
  { publishableKey } = app,
) => call(verifyCode, { publishable_key: publishableKey, challenge_id: challengeId, email, code }, ip);

/** Signs in on the service's own pages and returns the cookie of the known browser. */
async function signIn(email: string, clientIp: string, browserCookie?: string): Promise<string> {
  const { challengeId = '', ...sent } = await askOwnPages(email, clientIp, browserCookie);
  expect(sent).toEqual({ outcome: 'ok' });
  const entry = { challengeId, email, code: mailbox.lastCode(), userAgent: 'test', currentToken: null };
  return (await signInToService({ ...entry, clientIp, browserCookie })).browserCookie;
}

const outcomes = (responses: { outcome: string }[]) => ({
  ok: responses.filter(({ outcome }) => outcome === 'ok').length,
  limited: responses.filter(({ outcome }) => outcome === 'rate_limited').length,
});

it('callers without an IP share the limits of one network: codes, attempts and checkout windows @attack', async () => {
  setLimits({ perAddress: 3 });
  const codes: { outcome: string }[] = [];
  for (const ip of ['', 'unknown', '', '203.0.113.999', '']) codes.push(await ask(newEmail(), ip));
  expect(outcomes(codes)).toEqual({ ok: 3, limited: 2 });
  const attempts: { outcome: string }[] = [];
  for (let n = 0; n < 62; n++) attempts.push(await enter('lch_none', newEmail(), '000000', ''));
  expect(outcomes(attempts).limited).toBe(2);
  const window = {
    publishableKey: 'none',
    origin: 'https://a.example',
    display: 'popup',
    challenge: '',
  } as const;
  const open = () =>
    openVisit({ ...window, currency: 'eur', clientIp: '' }).catch((error) => ({ outcome: error.code }));
  const windows: { outcome: string }[] = [];
  for (let n = 0; n < 302; n++) windows.push((await open()) as { outcome: string });
  expect(outcomes(windows).limited).toBe(2);
});

it('wrong codes from 15 IPs through one app lock the user out of nothing @attack', async () => {
  const email = newEmail();
  for (let asked = 0; asked < 3; asked++) {
    const { challengeId } = await ask(email, ipv4(asked), evil);
    const wrong = wrongCode(mailbox.lastCode());
    for (let tried = 0; tried < 5; tried++) {
      const response = await enter(challengeId, email, wrong, ipv4(5 * asked + tried), evil);
      expect(response.outcome).toBe('invalid_code');
    }
  }
  const sent = await ask(email, '203.0.113.9');
  expect(sent.outcome).toBe('ok');
  const signedIn = await enter(sent.challengeId, email, mailbox.lastCode(), '203.0.113.9');
  expect(signedIn.outcome).toBe('ok');
});

it('any number of IPs guess a code with a chance below 0.1% a day, and never stop a known browser @attack', async () => {
  const email = newEmail();
  const browser = await signIn(email, '203.0.113.1');
  const attacks = [];
  for (let n = 0; n < 150; n++) attacks.push(await askOwnPages(email, ipv4(n)));
  wait(DAY_MS - SECOND_MS);
  for (let n = 0; n < 20; n++) attacks.push(await ask(email, ipv4(n), evil));
  // The first code was the user's.
  expect(outcomes(attacks)).toEqual({ ok: 99, limited: 71 });
  const attempts = 5 * 100;
  expect(attempts / 1_000_000).toBeLessThan(0.001);

  await signIn(email, ipv4(7), browser);
  expect(await askOwnPages(email, '203.0.113.1')).toEqual({ outcome: 'rate_limited', retryAfter: 1 });
  wait(SECOND_MS);
  await signIn(email, '203.0.113.1');
}, 60_000);

it('one network cannot use up the codes of a user elsewhere, not even through many apps @attack', async () => {
  const email = newEmail();
  const apps = [app, evil, await newPartner(), await newPartner()];
  const responses = [];
  for (let n = 0; n < 40; n++) responses.push(await ask(email, ipv4(1), apps[n % 4]));
  expect(outcomes(responses)).toEqual({ ok: 10, limited: 30 });
  await signIn(email, ipv4(2));
});

it('neither the wait nor the code of a user is affected by what others request @attack', async () => {
  setLimits({ resendSeconds: 30 });
  const email = newEmail();
  const { challengeId } = await ask(email, ipv4(1));
  const code = mailbox.lastCode();
  expect((await ask(email, ipv4(2))).outcome).toBe('ok');
  expect((await enter(challengeId, email, code, ipv4(1))).outcome).toBe('ok');
});

it('the next code needs no wait once a code was entered', async () => {
  setLimits({ resendSeconds: 30 });
  const email = newEmail();
  await signIn(email, ipv4(1));
  wait(SECOND_MS);
  expect(await askOwnPages(email, ipv4(1))).toMatchObject({ outcome: 'ok' });
  expect(await askOwnPages(email, ipv4(1))).toEqual({ outcome: 'rate_limited', retryAfter: 30 });
});

it('a known browser has its own five codes per hour and ten per day, in every app together @attack', async () => {
  const email = newEmail();
  const browser = await signIn(email, ipv4(1));
  const responses = [];
  for (let n = 0; n < 7; n++) responses.push(await askOwnPages(email, ipv4(n), browser));
  expect(outcomes(responses)).toEqual({ ok: 5, limited: 2 });
  wait(HOUR_MS);
  for (let n = 0; n < 7; n++) responses.push(await askOwnPages(email, ipv4(n), browser));
  wait(HOUR_MS);
  responses.push(await askOwnPages(email, ipv4(1), browser));
  expect(outcomes(responses)).toEqual({ ok: 10, limited: 5 });
});

it('a known browser does not wait while requests of strangers for the mailbox are counted @attack', async () => {
  const email = newEmail();
  const browser = await signIn(email, ipv4(1));
  await inTransaction(async (tx) => {
    await requireRoomForCode(tx, email, { partnerId: null, clientIp: ipv4(2), knownBrowser: null });
    await signIn(email, ipv4(1), browser);
  });
});

it('signing in again does not give a known browser a new budget @attack', async () => {
  const email = newEmail();
  let browser = await signIn(email, ipv4(1));
  for (let n = 0; n < 5; n++) browser = await signIn(email, ipv4(1), browser);
  expect((await askOwnPages(email, ipv4(1), browser)).outcome).toBe('rate_limited');
});

it('an IPv6 /64 counts as one IP, and a /48 as ten @attack', async () => {
  const one = [];
  for (let n = 0; n < 45; n++) one.push(await ask(newEmail(), `2001:db8:1:2::${n.toString(16)}`));
  expect(outcomes(one)).toEqual({ ok: 20, limited: 25 });

  setLimits({ perAddress: 2 });
  const many = [];
  for (let n = 0; n < 25; n++) many.push(await ask(newEmail(), `2001:db8:7:${n.toString(16)}::1`));
  expect(outcomes(many)).toEqual({ ok: 20, limited: 5 });
  expect((await ask(newEmail(), '2001:db8:8::1')).outcome).toBe('ok');
});

it('for one mailbox, a whole IPv6 /48 counts as one caller @attack', async () => {
  const email = newEmail();
  const responses = [];
  for (let n = 0; n < 8; n++) responses.push(await ask(email, `2001:db8:9:${n}::1`));
  expect(outcomes(responses)).toEqual({ ok: 5, limited: 3 });
});

it('entering codes is limited per IPv6 /64 and app too @attack', async () => {
  const email = newEmail();
  const tried = [];
  for (let n = 0; n < 61; n++)
    tried.push(await enter('ch_none', email, '123456', `2001:db8:3:4::${n.toString(16)}`));
  expect(outcomes(tried)).toEqual({ ok: 0, limited: 1 });
  expect((await enter('ch_none', email, '123456', '2001:db8:3:4::1', evil)).outcome).toBe('invalid_code');
});

it('addresses that differ by a +tag count as one mailbox @attack', async () => {
  const [name] = newEmail().split('@');
  const responses = [];
  for (let n = 0; n < 7; n++) responses.push(await ask(`${name}+${n}@example.com`, ipv4(1)));
  expect(outcomes(responses)).toEqual({ ok: 5, limited: 2 });
  expect((await ask(`${name}.other@example.com`, ipv4(1))).outcome).toBe('ok');
});

it('the service’s own pages have the ceiling of an app, which a known browser does not meet @attack', async () => {
  setLimits({ perApp: 3 });
  const email = newEmail();
  const browser = await signIn(email, ipv4(1));
  const strangers = [];
  for (let n = 0; n < 4; n++) strangers.push(await askOwnPages(newEmail(), ipv4(2)));
  expect(outcomes(strangers)).toEqual({ ok: 2, limited: 2 });
  expect((await ask(newEmail(), ipv4(1))).outcome).toBe('ok');
  await signIn(email, ipv4(1), browser);
});

it('a few networks that use up the ceiling of an app do not stop the first code of another network @attack', async () => {
  setLimits({ perApp: 30 });
  const quiet = await newPartner();
  const flood = [];
  for (let n = 0; n < 32; n++) flood.push(await ask(newEmail(), ipv4(n % 2), quiet));
  expect(outcomes(flood)).toEqual({ ok: 30, limited: 2 });

  expect((await ask(newEmail(), ipv4(7), quiet)).outcome).toBe('ok');
  const second = await ask(newEmail(), ipv4(7), quiet);
  expect([second.outcome, second.retryAfter]).toEqual(['rate_limited', 3_600]);
  expect((await ask(newEmail(), '2001:db8:20:1::1', quiet)).outcome).toBe('ok');
  expect((await ask(newEmail(), '2001:db8:20:2::1', quiet)).outcome).toBe('rate_limited');
});

it('a ceiling holds for parallel requests for different mailboxes from one network, and ten times it from many @attack', async () => {
  setLimits({ perApp: 2 });
  const [quiet, loud] = [await newPartner(), await newPartner()];
  const ofOne = await Promise.all(Array.from({ length: 12 }, () => ask(newEmail(), ipv4(1), quiet)));
  expect(outcomes(ofOne)).toEqual({ ok: 2, limited: 10 });
  const ofMany = await Promise.all(Array.from({ length: 24 }, (_, n) => ask(newEmail(), ipv4(n), loud)));
  expect(outcomes(ofMany)).toEqual({ ok: 20, limited: 4 });
});

const email = 'exact@example.com';
it.each([
  {
    what: 'the wait for the next code',
    limits: { resendSeconds: 30 },
    use: () => ask(email, ipv4(1)),
    seconds: 30,
    says: 'A code was just sent. Try again in 30 seconds.',
  },
  {
    what: 'the codes of an hour',
    limits: {},
    use: async () => {
      await ask(email, ipv4(1));
      wait(10 * SECOND_MS);
      for (let n = 0; n < 4; n++) await ask(email, ipv4(1));
    },
    seconds: 3_590,
    says: 'Too many codes requested. Try again in 60 minutes.',
  },
  {
    what: 'the codes of a day, with the wait that ends earlier',
    limits: { resendSeconds: 30 },
    use: async () => {
      for (let n = 0; n < 10; n++) {
        wait(2 * HOUR_MS);
        await ask(email, ipv4(1));
      }
    },
    seconds: 6 * 3_600,
    says: 'Too many codes requested. Try again in 6 hours.',
  },
  {
    what: 'the codes of a network',
    limits: { perAddress: 2 },
    use: async () => {
      await ask(newEmail(), ipv4(1));
      wait(100 * SECOND_MS);
      await ask(newEmail(), ipv4(1));
    },
    seconds: 3_500,
    says: 'Too many codes requested. Try again in 59 minutes.',
  },
  {
    what: 'the codes of an app',
    limits: { perApp: 2 },
    use: async () => {
      for (let n = 0; n < 2; n++) await ask(newEmail(), ipv4(n + 1));
    },
    seconds: 3_600,
    says: 'Too many codes requested. Try again in 60 minutes.',
  },
])('Retry-After is the second at which a request works again after $what', async (limited) => {
  setLimits(limited.limits);
  await limited.use();
  const refused = await ask(email, ipv4(1));
  expect([refused.outcome, refused.message]).toEqual(['rate_limited', limited.says]);
  expect(refused.retryAfter).toBe(limited.seconds);
  wait((refused.retryAfter - 1) * SECOND_MS);
  expect((await ask(email, ipv4(1))).outcome).toBe('rate_limited');
  wait(SECOND_MS);
  expect((await ask(email, ipv4(1))).outcome).toBe('ok');
});

it('no IPv6 address is stored, only its network', async () => {
  const email = newEmail();
  await ask(email, '2001:db8:5:6:1:2:3:4');
  const row = await prisma().loginChallenge.findFirstOrThrow({ where: { email } });
  expect(JSON.stringify(row)).not.toContain('1:2:3:4');
  expect(row).toMatchObject({ clientNetwork: '2001:db8:5:6::/64', clientSite: '2001:db8:5::/48' });
});
