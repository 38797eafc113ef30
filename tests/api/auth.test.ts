import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { POST as exchange, OPTIONS as preflightExchange } from '@/app/auth/token/route';
import { POST as sendCode } from '@/app/v1/auth/send-code/route';
import { OPTIONS as preflightVerify, POST as verifyCode } from '@/app/v1/auth/verify-code/route';
import { MINUTE_MS, now, SECOND_MS, setClock } from '@/server/clock';
import { inTransaction, prisma } from '@/server/db';
import { settings } from '@/server/env';
import { requireUserKey } from '@/server/http/authenticate';
import { issueSignInToken } from '@/server/identity/sign-in-tokens';
import { revokeSession } from '@/server/keys/revoke';
import { disablePartner, type Partner } from '@/server/partners/partner';
import { newPublishableKey } from '@/server/tokens';
import { newDatabase } from '../harness';
import { inLanes } from '../harness/in-lanes';
import {
  type AppUser,
  liveKeyIds,
  newAppUser,
  newDevice,
  newPartner,
  recordedEvents,
} from '../identity/app-world';
import { openMailbox, wrongCode } from '../identity/mailbox';

await newDatabase();
const mailbox = await openMailbox();

const ORIGIN = 'https://notes.example.com';
const partner = await newPartner([ORIGIN]);
const pk = partner.publishableKey;

type Answer = { status: number; body: Record<string, unknown>; headers: Headers };
type Route = (request: Request) => Promise<Response>;

async function call(route: Route, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await route(new Request('http://localhost/', { method: 'POST', body: text, headers }));
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

const errorOf = ({ body }: Answer): string =>
  (body.error as { type: string } | undefined)?.type ?? 'no error';

/** Limits as in production, one at a time: the tests ask for many codes. */
function limitCodes(limits: {
  perEmail?: number;
  perAddress?: number;
  perApp?: number;
  resendSeconds?: number;
}): void {
  Object.assign(settings(), {
    LIMIT_CODES_PER_EMAIL_PER_HOUR: limits.perEmail ?? 0,
    LIMIT_CODES_PER_ADDRESS_PER_HOUR: limits.perAddress ?? 0,
    LIMIT_CODES_PER_APP_PER_HOUR: limits.perApp ?? 0,
    LIMIT_CODE_RESEND_SECONDS: limits.resendSeconds ?? 0,
  });
}

beforeEach(() => limitCodes({}));
afterEach(() => setClock());

let people = 0;
const newEmail = () => `api-${++people}@example.com`;

async function sentCode(email = newEmail(), headers: Record<string, string> = {}) {
  const sent = await call(sendCode, { publishable_key: pk, email }, headers);
  expect(sent.status).toBe(200);
  return { publishable_key: pk, challenge_id: sent.body.challenge_id, email, code: mailbox.lastCode() };
}

describe('POST /v1/auth/send-code', () => {
  it('answers the same for known and unknown addresses', async () => {
    const { email } = await newAppUser(partner.id);
    for (const address of [email, newEmail()]) {
      const { status, body } = await call(sendCode, { publishable_key: pk, email: address });
      expect(status).toBe(200);
      expect(body).toEqual({
        challenge_id: expect.stringMatching(/^ch_/),
        expires_in: 600,
        resend_in: expect.any(Number),
      });
    }
  });

  it('mails one code that says who asked, has no link and goes to that address only', async () => {
    const before = mailbox.mails.length;
    await sentCode(' Grace.Hopper@EXAMPLE.com ');
    expect(mailbox.mails).toHaveLength(before + 1);
    const { mail, recipients } = mailbox.mails.at(-1) ?? {};
    expect(recipients).toEqual(['Grace.Hopper@example.com']);
    expect(mail?.subject).toMatch(/^\d{6} is your Acme Notes code$/);
    const code = mailbox.lastCode();
    for (const text of [mail?.text, mail?.html]) {
      expect(text).toContain(code);
      expect(text).toContain('Acme Notes');
      expect(text).toContain('We will never ask you for this code');
      expect(text).not.toMatch(/https?:|href/);
    }
  });

  it('writes German where the locale is German', async () => {
    await call(sendCode, { publishable_key: pk, email: newEmail(), locale: 'de-AT' });
    expect(mailbox.mails.at(-1)?.mail.subject).toMatch(/^\d{6} ist Ihr Code für Acme Notes$/);
    expect(mailbox.mails.at(-1)?.mail.text).toContain('Wir fragen Sie nie nach diesem Code');
  });

  it.each([
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com, eve@example.com',
    'Ada <ada@example.com>',
    'ada',
    '',
  ])('refuses %j and mails nobody', async (email) => {
    const before = mailbox.mails.length;
    const answer = await call(sendCode, { publishable_key: pk, email });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request', param: 'email', code: '400' });
    expect(mailbox.mails).toHaveLength(before);
  });

  it('stores neither code nor key in clear', async () => {
    const { challenge_id, code } = await sentCode();
    const row = await prisma().loginChallenge.findUniqueOrThrow({ where: { id: String(challenge_id) } });
    expect(Buffer.from(row.codeHash).toString('latin1')).not.toContain(code);
    expect(row.codeHash).toHaveLength(32);
  });

  it('answers the same when the mail cannot be sent', async () => {
    const { SMTP_URL } = settings();
    Object.assign(settings(), { SMTP_URL: 'smtp://127.0.0.1:1' });
    const { status, body } = await call(sendCode, { publishable_key: pk, email: newEmail() });
    Object.assign(settings(), { SMTP_URL });
    expect([status, Object.keys(body)]).toEqual([200, ['challenge_id', 'expires_in', 'resend_in']]);
  });

  it('makes a person wait before the next code', async () => {
    limitCodes({ resendSeconds: 30 });
    const start = now();
    setClock(() => start);
    const email = newEmail();
    await sentCode(email);
    setClock(() => start + 20 * SECOND_MS);
    const tooSoon = await call(sendCode, { publishable_key: pk, email });
    expect([errorOf(tooSoon), tooSoon.headers.get('retry-after')]).toEqual(['rate_limited', '10']);
    setClock(() => start + 30 * SECOND_MS);
    expect((await call(sendCode, { publishable_key: pk, email })).status).toBe(200);
  });

  it('lets the wait grow with codes that nobody enters, and tells it; a sign-in ends that', async () => {
    limitCodes({ resendSeconds: 30 });
    let time = now();
    setClock(() => time);
    const email = newEmail();
    for (const wait of [30, 60, 120, 120]) {
      const sent = await call(sendCode, { publishable_key: pk, email });
      expect([sent.status, sent.body.resend_in]).toEqual([200, wait]);
      time += (wait - 1) * SECOND_MS;
      expect(errorOf(await call(sendCode, { publishable_key: pk, email }))).toBe('rate_limited');
      time += SECOND_MS;
    }
    expect((await call(verifyCode, await sentCode(email))).status).toBe(200);
    time += 120 * SECOND_MS;
    expect((await call(sendCode, { publishable_key: pk, email })).status).toBe(200);
  });

  it('sends twice as many codes in a day as in an hour, and no more', async () => {
    limitCodes({ perEmail: 2 });
    let time = now();
    setClock(() => time);
    const email = newEmail();
    const statuses = [];
    for (let hour = 0; hour < 24; hour++) {
      statuses.push((await call(sendCode, { publishable_key: pk, email })).status);
      time += 60 * MINUTE_MS;
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect((await call(sendCode, { publishable_key: pk, email })).status).toBe(200);
  });

  it('sends at most so many codes per app and hour', async () => {
    limitCodes({ perApp: 2 });
    const [busy, quiet] = [await newPartner([ORIGIN]), await newPartner([ORIGIN])];
    const statuses = [];
    for (const { publishableKey } of [busy, busy, busy, quiet])
      statuses.push((await call(sendCode, { publishable_key: publishableKey, email: newEmail() })).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it('sends at most so many codes per e-mail and hour, also when they are asked for at once', async () => {
    limitCodes({ perEmail: 3 });
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(sendCode, { publishable_key: pk, email })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      200,
      200,
      200,
      ...Array<number>(7).fill(429),
    ]);
    expect(answers.find((answer) => answer.status === 429)?.headers.get('retry-after')).toBe('60');
    const later = now() + 60 * MINUTE_MS;
    setClock(() => later);
    expect((await call(sendCode, { publishable_key: pk, email })).status).toBe(200);
  });

  it('sends at most so many codes per client address, counting addresses one by one', async () => {
    limitCodes({ perAddress: 2 });
    const from = (address: string) =>
      call(sendCode, { publishable_key: pk, email: newEmail() }, { 'x-svc-client-address': address });
    const statuses = [];
    for (const address of ['203.0.113.7', '203.0.113.7', '203.0.113.7', '203.0.113.8'])
      statuses.push((await from(address)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});

describe('POST /v1/auth/verify-code', () => {
  it('turns a right code into an account, a device and a key', async () => {
    const request = await sentCode();
    const { status, body } = await call(verifyCode, { ...request, metadata: { plan: 'pro' } });
    expect(status).toBe(200);
    expect(body).toEqual({
      user_key: expect.stringMatching(/^svc_sk_/),
      key_id: expect.stringMatching(/^key_/),
      user_id: expect.stringMatching(/^au_/),
      balance: 0,
      currency: 'credits',
      status: 'insufficient_credits',
    });
    const caller = await requireUserKey(
      new Request('http://x/', { headers: { 'x-user-key': String(body.user_key) } }),
    );
    expect(caller).toMatchObject({ keyId: body.key_id, appUserId: body.user_id, partnerId: partner.id });
    const event = (await recordedEvents(partner.id)).find((recorded) => recorded.data.key_id === body.key_id);
    expect(event?.data).toMatchObject({
      user_key: body.user_key,
      user_id: body.user_id,
      metadata: { plan: 'pro' },
    });
  });

  it('knows the same person again, however the address is written, by the same id', async () => {
    const first = await call(verifyCode, await sentCode('Same.Person@example.com'));
    const second = await call(verifyCode, {
      ...(await sentCode('same.person@EXAMPLE.com')),
      email: 'SAME.PERSON@example.com',
    });
    expect(second.body.user_id).toBe(first.body.user_id);
    expect(second.body.key_id).not.toBe(first.body.key_id);
  });

  it('takes a code with spaces or dashes', async () => {
    const request = await sentCode();
    const spaced = ` ${request.code.slice(0, 3)} - ${request.code.slice(3)} `;
    expect((await call(verifyCode, { ...request, code: spaced })).status).toBe(200);
  });

  it('burns the challenge after five wrong codes', async () => {
    const lucky = await sentCode();
    const wrong = { ...lucky, code: wrongCode(lucky.code) };
    for (let n = 0; n < 4; n++) expect(errorOf(await call(verifyCode, wrong))).toBe('invalid_code');
    expect((await call(verifyCode, lucky)).status).toBe(200);

    const burnt = await sentCode();
    for (let n = 0; n < 5; n++) await call(verifyCode, { ...burnt, code: wrongCode(burnt.code) });
    expect(errorOf(await call(verifyCode, burnt))).toBe('invalid_code');
  });

  it('counts wrong codes that arrive at once', async () => {
    const request = await sentCode();
    await Promise.all(
      Array.from({ length: 30 }, () => call(verifyCode, { ...request, code: wrongCode(request.code) })),
    );
    const row = await prisma().loginChallenge.findUniqueOrThrow({
      where: { id: String(request.challenge_id) },
    });
    expect(row.attempts).toBe(5);
    expect(errorOf(await call(verifyCode, request))).toBe('invalid_code');
  });

  it('takes a code for ten minutes', async () => {
    const start = now();
    setClock(() => start);
    const [early, late] = [await sentCode(), await sentCode()];
    setClock(() => start + 10 * MINUTE_MS - 1);
    expect((await call(verifyCode, early)).status).toBe(200);
    setClock(() => start + 10 * MINUTE_MS);
    expect(errorOf(await call(verifyCode, late))).toBe('code_expired');
  });

  it('takes a code once', async () => {
    const request = await sentCode();
    expect((await call(verifyCode, request)).status).toBe(200);
    expect(errorOf(await call(verifyCode, request))).toBe('invalid_code');
  });

  it('100 parallel verifications of one right code mint one key', async () => {
    const request = await sentCode();
    const answers = await inLanes({ lanes: 30, times: 100 }, () => call(verifyCode, request));
    const winners = answers.filter((answer) => answer.status === 200);
    expect(winners).toHaveLength(1);
    expect(new Set(answers.filter((answer) => answer.status !== 200).map(errorOf))).toEqual(
      new Set(['invalid_code']),
    );
    const { userId } = await prisma().userKey.findUniqueOrThrow({
      where: { id: String(winners[0]?.body.key_id) },
    });
    expect(await prisma().userKey.count({ where: { userId } })).toBe(1);
    expect(await prisma().session.count({ where: { userId } })).toBe(1);
  });

  it('is guessed so often in a day and no more, however many codes are asked for', async () => {
    limitCodes({ perEmail: 5 });
    const email = newEmail();
    const answers: string[] = [];
    for (let codes = 0; codes < 4; codes++) {
      const request = await sentCode(email);
      const guess = { ...request, code: wrongCode(request.code) };
      for (let tries = 0; tries < 5; tries++) answers.push(errorOf(await call(verifyCode, guess)));
    }
    expect(answers).toEqual([
      ...Array<string>(15).fill('invalid_code'),
      ...Array<string>(5).fill('rate_limited'),
    ]);
  });

  it('is tried at most 60 times a minute from one address', async () => {
    limitCodes({ perAddress: 1_000 });
    const guess = { publishable_key: pk, challenge_id: 'ch_none', email: newEmail(), code: '123456' };
    const from = (address: string) => call(verifyCode, guess, { 'x-svc-client-address': address });
    const answers = [];
    for (let i = 0; i < 61; i++) answers.push(errorOf(await from('203.0.113.21')));
    expect(answers.filter((answer) => answer === 'invalid_code')).toHaveLength(60);
    expect(answers.at(-1)).toBe('rate_limited');
    expect(errorOf(await from('203.0.113.22'))).toBe('invalid_code');
  });

  it('forgets the older code when a new one is sent', async () => {
    const email = newEmail();
    const [older, newer] = [await sentCode(email), await sentCode(email)];
    expect(errorOf(await call(verifyCode, older))).toBe('code_expired');
    expect((await call(verifyCode, newer)).status).toBe(200);
  });

  it('is worth nothing for another e-mail, app or origin', async () => {
    const other = await newPartner([ORIGIN]);
    const request = await sentCode(newEmail(), { origin: ORIGIN });
    expect(errorOf(await call(verifyCode, { ...request, email: newEmail() }, { origin: ORIGIN }))).toBe(
      'invalid_code',
    );
    expect(
      errorOf(
        await call(verifyCode, { ...request, publishable_key: other.publishableKey }, { origin: ORIGIN }),
      ),
    ).toBe('invalid_code');
    expect(errorOf(await call(verifyCode, request, { origin: 'http://localhost:5173' }))).toBe(
      'invalid_code',
    );
    expect(errorOf(await call(verifyCode, request))).toBe('invalid_code');
    expect((await call(verifyCode, request, { origin: ORIGIN })).status).toBe(200);
    expect(errorOf(await call(verifyCode, { ...request, challenge_id: 'ch_unknown' }))).toBe('invalid_code');
  });

  it('refused metadata does not use up the code, nor a try', async () => {
    const request = await sentCode();
    for (const metadata of [{ a: {} }, 'text', { a: 'x'.repeat(600) }, { a: null }, { a: '\0' }]) {
      const answer = await call(verifyCode, { ...request, metadata });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({
        type: 'invalid_request',
        param: expect.stringMatching(/^metadata/),
      });
    }
    const row = await prisma().loginChallenge.findUniqueOrThrow({
      where: { id: String(request.challenge_id) },
    });
    expect(row.attempts).toBe(0);
    expect((await call(verifyCode, request)).status).toBe(200);
  });

  it.each([
    ['no body', ''],
    ['no JSON', '{'],
    ['a list', '[]'],
    ['missing fields', '{}'],
  ])('answers 400 to %s', async (_, body) => {
    expect(errorOf(await call(verifyCode, body))).toBe('invalid_request');
  });
});

describe('who may ask', () => {
  it('an unknown publishable key, a user key or a mistyped one is 401', async () => {
    const mistyped = pk.slice(0, -1) + (pk.endsWith('a') ? 'b' : 'a');
    for (const publishable_key of [newPublishableKey(), 'svc_sk_x', mistyped, '']) {
      for (const route of [sendCode, verifyCode]) {
        const answer = await call(route, {
          publishable_key,
          email: newEmail(),
          challenge_id: 'ch_x',
          code: '123456',
        });
        expect([answer.status, errorOf(answer)]).toEqual([401, 'invalid_publishable_key']);
      }
    }
  });

  it('a user key in its place is told what belongs there, and not repeated', async () => {
    const answer = await call(sendCode, { publishable_key: 'svc_sk_secret', email: newEmail() });
    const { message } = answer.body.error as { message: string };
    expect(message).toContain('svc_pk_');
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('a disabled app is 403', async () => {
    const disabled = await newPartner();
    await disablePartner(disabled.id);
    const answer = await call(sendCode, { publishable_key: disabled.publishableKey, email: newEmail() });
    expect([answer.status, errorOf(answer)]).toEqual([403, 'partner_disabled']);
  });

  it('pages of unregistered origins are 403, by name; localhost and servers are welcome', async () => {
    for (const origin of ['https://evil.test', 'null', 'https://notes.example.com.evil.test']) {
      const answer = await call(sendCode, { publishable_key: pk, email: newEmail() }, { origin });
      expect([answer.status, errorOf(answer)]).toEqual([403, 'origin_not_allowed']);
      expect((answer.body.error as { message: string }).message).toContain(origin);
      expect(errorOf(await call(verifyCode, await sentCode(), { origin }))).toBe('origin_not_allowed');
    }
    for (const origin of [ORIGIN, 'http://localhost:5173']) {
      expect((await call(sendCode, { publishable_key: pk, email: newEmail() }, { origin })).status).toBe(200);
    }
  });

  it('a preflight is answered without a key', () => {
    for (const preflight of [preflightVerify, preflightExchange]) {
      const answer = preflight(
        new Request('http://localhost/', {
          method: 'OPTIONS',
          headers: { origin: ORIGIN, 'access-control-request-headers': 'x-mine' },
        }),
      );
      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-headers')).toContain('x-mine');
    }
  });
});

describe('POST /auth/token', () => {
  const VERIFIER = 'v'.repeat(43);
  const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

  type Issued = { user: AppUser; sessionId: string; request: Record<string, unknown> };

  async function issuedToken(of: Partner = partner, origin = ORIGIN): Promise<Issued> {
    const user = await newAppUser(of.id);
    const { sessionId } = await newDevice(user.userId);
    const grant = {
      userId: user.userId,
      partnerId: of.id,
      sessionId,
      origin,
      challenge: challengeOf(VERIFIER),
    };
    const token = await inTransaction((tx) => issueSignInToken(tx, grant));
    expect(token).toMatch(/^svc_st_[0-9A-Za-z]{43}$/);
    return {
      user,
      sessionId,
      request: {
        grant_type: 'signin_token',
        publishable_key: of.publishableKey,
        token,
        code_verifier: VERIFIER,
      },
    };
  }

  it('exchanges a token for a key of the device that signed in', async () => {
    const { user, sessionId, request } = await issuedToken();
    const { status, body } = await call(exchange, { ...request, metadata: { seat: 4 } }, { origin: ORIGIN });
    expect(status).toBe(200);
    expect(body).toEqual({
      user_key: expect.stringMatching(/^svc_sk_/),
      key_id: expect.stringMatching(/^key_/),
      user_id: user.appUserId,
      balance: 0,
      currency: 'credits',
      status: 'insufficient_credits',
      token_type: 'Bearer',
    });
    expect(await liveKeyIds(user)).toEqual([body.key_id]);
    await inTransaction((tx) => revokeSession(tx, sessionId));
    expect(await liveKeyIds(user)).toEqual([]);
  });

  it('reads a form too, with metadata as JSON', async () => {
    const { user, request } = await issuedToken();
    const form = new URLSearchParams({
      ...(request as Record<string, string>),
      metadata: '{"seat":5}',
    }).toString();
    const headers = { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const { status, body } = await call(exchange, form, headers);
    expect([status, body.user_id]).toEqual([200, user.appUserId]);
    const event = (await recordedEvents(partner.id)).find((recorded) => recorded.data.key_id === body.key_id);
    expect(event?.data.metadata).toEqual({ seat: 5 });
  });

  it('reads JSON that curl sends as a form, as the guide has it', async () => {
    const { request } = await issuedToken();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await call(exchange, request, headers)).status).toBe(200);
  });

  it("takes an exchange by the app's own server, which sends no origin", async () => {
    expect((await call(exchange, (await issuedToken()).request)).status).toBe(200);
  });

  it('gives one and the same answer to whatever is wrong, and keeps the token for its owner', async () => {
    const other = await newPartner([ORIGIN]);
    const disabled = await newPartner([ORIGIN]);
    const start = now();
    setClock(() => start);
    const { request } = await issuedToken();
    const ofDisabled = await issuedToken(disabled);
    await disablePartner(disabled.id);
    const loggedOut = await issuedToken();
    await inTransaction((tx) => revokeSession(tx, loggedOut.sessionId));
    const late = await issuedToken();

    const failures = [
      await call(exchange, { ...request, code_verifier: 'w'.repeat(43) }, { origin: ORIGIN }),
      await call(exchange, { ...request, code_verifier: challengeOf(VERIFIER) }, { origin: ORIGIN }),
      await call(exchange, { ...request, code_verifier: '' }, { origin: ORIGIN }),
      await call(exchange, request, { origin: 'http://localhost:3000' }),
      await call(exchange, request, { origin: 'null' }),
      await call(exchange, { ...request, publishable_key: other.publishableKey }, { origin: ORIGIN }),
      await call(exchange, { ...request, publishable_key: newPublishableKey() }, { origin: ORIGIN }),
      await call(
        exchange,
        { ...request, token: `${String(request.token).slice(0, -1)}-` },
        { origin: ORIGIN },
      ),
      await call(exchange, ofDisabled.request, { origin: ORIGIN }),
      await call(exchange, loggedOut.request, { origin: ORIGIN }),
    ];
    setClock(() => start + 61 * SECOND_MS);
    failures.push(await call(exchange, late.request, { origin: ORIGIN }));
    setClock(() => start + 59 * SECOND_MS);

    for (const failure of failures) {
      expect(failure.status).toBe(400);
      expect(failure.body).toEqual(failures[0]?.body);
      expect(errorOf(failure)).toBe('invalid_grant');
    }
    expect((await call(exchange, request, { origin: ORIGIN })).status).toBe(200);
  });

  it('a second use is refused and revokes the key of the first', async () => {
    const { user, request } = await issuedToken();
    const first = await call(exchange, request, { origin: ORIGIN });
    expect(await liveKeyIds(user)).toEqual([first.body.key_id]);
    // Without the verifier it is not a use: who only saw the token can do no harm.
    await call(exchange, { ...request, code_verifier: 'w'.repeat(43) }, { origin: ORIGIN });
    expect(await liveKeyIds(user)).toEqual([first.body.key_id]);

    expect(errorOf(await call(exchange, request, { origin: ORIGIN }))).toBe('invalid_grant');
    expect(await liveKeyIds(user)).toEqual([]);
    const revoked = (await recordedEvents(partner.id)).find(
      (event) => event.type === 'user_key.revoked' && event.data.key_id === first.body.key_id,
    );
    expect(revoked?.data.reason).toBe('session_revoked');
  });

  it('of 20 parallel uses at most one gets a key, and that key is dead', async () => {
    const { user, request } = await issuedToken();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call(exchange, request, { origin: ORIGIN })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(await prisma().userKey.count({ where: { userId: user.userId } })).toBe(1);
    expect(await liveKeyIds(user)).toEqual([]);
  });

  it('refused metadata does not use up the token', async () => {
    const { request } = await issuedToken();
    const refused = await call(exchange, { ...request, metadata: { a: [] } }, { origin: ORIGIN });
    expect(errorOf(refused)).toBe('invalid_request');
    expect((await call(exchange, request, { origin: ORIGIN })).status).toBe(200);
  });

  it('tells a malformed request what is missing', async () => {
    const answer = await call(exchange, { grant_type: 'password' }, { origin: ORIGIN });
    expect(answer.body.error).toMatchObject({ type: 'invalid_request', param: 'grant_type' });
  });
});
