import { describe, expect, it } from 'vitest';
import { DAY_MS } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { requirePartner } from '@/server/partners/partner';
import { formatPercent, parsePercent } from '@/server/partners/rate';
import { newDatabase } from '../harness';
import { svc, svcJson } from '../harness/command';

const { url } = await newDatabase();

let partners = 0;
async function newPk(): Promise<string> {
  const name = `Acme ${'x'.repeat(++partners)}`;
  return String((await svcJson('partner', 'create', '--name', name, '--rate', '25')).publishable_key);
}

/** Every refusal: nothing on standard output, one line with the reason, and a failing exit code. */
async function expectRefusal(words: string[], reason: RegExp): Promise<void> {
  const { code, out, err } = await svc(...words);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^[^\n]+\n$/);
  expect(err).toMatch(reason);
}

describe('svc partner webhook', () => {
  it('sets the address and shows the signing secret, which is kept when the address is cleared', async () => {
    const pk = await newPk();
    const { code, out, err } = await svc(
      'partner',
      'webhook',
      pk,
      '--url',
      'https://hooks.example/svc',
      '--json',
    );
    expect(code).toBe(0);
    const made = JSON.parse(out) as Record<string, unknown>;
    expect(made).toEqual({
      url: 'https://hooks.example/svc',
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9_-]{43}$/),
    });
    expect(err).toContain('warning: hooks.example could not be resolved');
    expect((await svcJson('partner', 'show', pk)).webhook_url).toBe('https://hooks.example/svc');
    expect(await svcJson('partner', 'webhook', pk, '--clear')).toEqual({ ...made, url: null });
    expect((await svcJson('partner', 'show', pk)).webhook_url).toBeNull();
  });

  it.each([
    [['--url', 'http://hooks.example.com/svc'], /must start with https/],
    [['--url', 'https://10.0.0.1/svc'], /domain name instead of an IP address/],
    [['--url', 'hooks'], /Enter a full URL/],
    [['--url', 'https://hooks.example.com', '--clear'], /either --url or --clear/],
    [[], /either --url or --clear/],
  ])('refuses %j', async (words, reason) => {
    const pk = await newPk();
    await expectRefusal(['partner', 'webhook', pk, ...words], reason);
    expect((await svcJson('partner', 'show', pk)).webhook_url).toBeNull();
  });
});

describe('svc partner', () => {
  it('create adds an app with rate, origins and owner', async () => {
    const made = await svcJson(
      ...[
        'partner',
        'create',
        '--name',
        'Acme Notes',
        '--rate',
        '12.5',
        '--origin',
        'https://EXAMPLE.com:443/',
      ],
      ...['--origin', 'myapp://*', '--owner', 'Owner@Example.com'],
    );
    expect(made).toEqual({
      partner_id: expect.stringMatching(/^prt_/),
      publishable_key: expect.stringMatching(/^svc_pk_[0-9A-Za-z]{36}$/),
    });
    expect(await svcJson('partner', 'show', String(made.publishable_key))).toEqual({
      ...made,
      name: 'Acme Notes',
      rate: 12.5,
      rate_cap: 100,
      redirects: [],
      state: 'enabled',
      disabled: false,
      paused: false,
      origins: ['https://example.com', 'myapp://*'],
      models: null,
      user_limits: null,
      limit_ceiling: null,
      owner: 'owner@example.com',
      webhook_url: null,
      created_at: expect.stringMatching(/Z$/),
    });
    const row = await prisma().partner.findUniqueOrThrow({ where: { id: String(made.partner_id) } });
    expect(row.rateBp).toBe(1250);
  });

  it.each([
    ['0', 0],
    ['12.5', 1250],
    ['12.05', 1205],
    ['0.01', 1],
    ['100', 10_000],
    ['25%', 2500],
    ['100.01', null],
    ['101', null],
    ['12.555', null],
    ['-1', null],
    ['1e1', null],
    ['', null],
    ['abc', null],
    ['12,5', null],
  ])('reads the rate %j', (text, rateBp) => {
    expect(parsePercent(text)).toBe(rateBp);
    if (rateBp !== null) expect(parsePercent(formatPercent(rateBp))).toBe(rateBp);
  });

  it('refuses bad values in one line and creates nothing', async () => {
    const before = await prisma().partner.count();
    const create = (...more: string[]) => ['partner', 'create', ...more];
    await expectRefusal(create('--rate', '25'), /Missing name/);
    await expectRefusal(create('--name', 'A'), /Missing rate/);
    await expectRefusal(create('--name', ' ', '--rate', '25'), /name/);
    await expectRefusal(create('--name', 'A\nB', '--rate', '25'), /name/);
    await expectRefusal(create('--name', 'A', '--rate', '12.555'), /two decimals/);
    await expectRefusal(create('--name', 'A', '--rate=-5'), /between 0 and 100/);
    await expectRefusal(
      create('--name', 'A', '--rate', '25', '--origin', 'https://a.com/x'),
      /https:\/\/a\.com\/x.*path/,
    );
    await expectRefusal(create('--name', 'A', '--rate', '25', '--origin', 'javascript://*'), /javascript/);
    await expectRefusal(create('--name', 'A', '--rate', '25', '--owner', 'nobody'), /e-mail/);
    await expectRefusal(create('--name', 'A', '--rate', '25', '--nmae', 'B'), /--nmae/);
    await expectRefusal(create('A', '--rate', '25'), /Unexpected argument "A"/);
    await expectRefusal(create('--name'), /--name/);
    expect(await prisma().partner.count()).toBe(before);
  });

  it('list shows every app, as a table and as JSON', async () => {
    const pk = await newPk();
    const listed = (await svcJson('partner', 'list')) as unknown as { publishable_key: string }[];
    expect(listed.map((partner) => partner.publishable_key)).toContain(pk);
    expect((await svc('partner', 'list')).out).toMatch(new RegExp(`^${pk}  25 % .*enabled.*Acme x+$`, 'm'));
  });

  it('set-rate schedules a change, and rotate-key and owner change what they name', async () => {
    const pk = await newPk();
    const nextMonth = new Date(Date.now() + 30 * DAY_MS).toISOString();
    expect(await svcJson('partner', 'set-rate', pk, '40', '--from', nextMonth)).toMatchObject({ rate: 25 });
    await expectRefusal(['partner', 'set-rate', pk, '10', '--from', 'soon'], /Invalid time "soon"/);
    const rotated = await svcJson('partner', 'rotate-key', pk);
    expect(rotated.publishable_key).not.toBe(pk);
    expect((await requirePartner(pk)).id).toBe(rotated.partner_id);
    expect(await svcJson('partner', 'owner', pk, 'New@Example.com')).toMatchObject({
      owner: 'new@example.com',
    });
  });

  it('disable suspends the app, and enable restores it', async () => {
    const pk = await newPk();
    expect(await svcJson('partner', 'disable', pk)).toMatchObject({ disabled: true });
    await expect(requirePartner(pk)).rejects.toMatchObject({ code: 'partner_disabled' });
    expect(await svcJson('partner', 'enable', pk)).toMatchObject({ disabled: false });
    await expect(requirePartner(pk)).resolves.toMatchObject({ publishableKey: pk });
  });

  it('set-rate changes the commission', async () => {
    const pk = await newPk();
    expect(await svcJson('partner', 'set-rate', pk, '7.25')).toMatchObject({ rate: 7.25 });
    await expectRefusal(['partner', 'set-rate', pk], /Missing PERCENT/);
    await expectRefusal(['partner', 'set-rate', pk, 'free'], /Invalid rate "free"/);
  });

  it('origins adds and removes, and warns about a dangerous one', async () => {
    const pk = await newPk();
    expect(
      await svcJson('partner', 'origins', pk, '--add', 'https://a.com', '--add', 'https://b.com'),
    ).toMatchObject({
      origins: ['https://a.com', 'https://b.com'],
    });
    expect(await svcJson('partner', 'origins', pk, '--remove', 'https://a.com/')).toMatchObject({
      origins: ['https://b.com'],
    });
    await expectRefusal(
      ['partner', 'origins', pk, '--remove', 'https://never.com'],
      /no origin https:\/\/never\.com/,
    );
    await expectRefusal(['partner', 'origins', pk], /--add or --remove/);
    const warned = await svc('partner', 'origins', pk, '--add', 'chrome-extension://*');
    expect([warned.code, warned.err]).toEqual([0, expect.stringContaining('warning: chrome-extension://*')]);
  });

  it('redirects adds and removes whole addresses, and show prints them', async () => {
    const pk = await newPk();
    const added = ['--add', 'https://a.com/back', '--add', 'http://localhost:3000/back'];
    expect(await svcJson('partner', 'redirects', pk, ...added)).toMatchObject({
      redirects: ['http://localhost/back', 'https://a.com/back'],
    });
    await svcJson('partner', 'redirects', pk, '--remove', 'http://localhost:9/back');
    expect((await svc('partner', 'show', pk)).out).toMatch(/redirects +https:\/\/a\.com\/back\n/);
    await expectRefusal(
      ['partner', 'redirects', pk, '--remove', 'https://a.com/'],
      /no redirect address https:/,
    );
    await expectRefusal(['partner', 'redirects', pk, '--add', 'http://a.com/back'], /must use https/);
    await expectRefusal(['partner', 'redirects', pk], /--add or --remove/);
  });

  it('models restricts an app to some models, and removes the restriction', async () => {
    const pk = await newPk();
    const models = ['sandbox/echo', 'sandbox/story'];
    expect(await svcJson('partner', 'models', pk, '--allow', models.join(', '))).toMatchObject({ models });
    expect(await svcJson('partner', 'models', pk, '--all')).toMatchObject({ models: null });
    await expectRefusal(
      ['partner', 'models', pk, '--allow', 'sandbox/nothing'],
      /Unknown model "sandbox\/nothing"/,
    );
    await expectRefusal(['partner', 'models', pk], /--allow or --all/);
    await expectRefusal(['partner', 'models', pk, '--all', '--allow', 'sandbox/echo'], /--allow or --all/);
  });

  it('reports that an app does not exist', async () => {
    await expectRefusal(['partner', 'show', 'svc_pk_unknown'], /Unknown partner svc_pk_unknown/);
    await expectRefusal(['partner', 'show'], /Missing PK/);
  });
});

describe('svc user', () => {
  it('passkeys lists them by name and removes all of them', async () => {
    await svcJson('user', 'grant', 'keys@example.com', '--credits', '1');
    const { id: userId } = await prisma().user.findUniqueOrThrow({ where: { email: 'keys@example.com' } });
    await prisma().passkey.create({
      data: {
        id: 'psk_one',
        userId,
        credentialId: 'secret-id',
        userHandle: 'secret-handle',
        name: 'Laptop',
        publicKey: new Uint8Array(),
        counter: 0,
      },
    });
    expect(await svcJson('user', 'passkeys', 'keys@example.com')).toEqual({
      email: 'keys@example.com',
      passkeys: [{ name: 'Laptop', created_at: expect.stringMatching(/Z$/), last_used_at: null }],
    });
    expect((await svc('user', 'passkeys', 'keys@example.com')).out).toMatch(/^Laptop +2\S+Z +-$/m);
    expect(await svcJson('user', 'passkeys', 'keys@example.com', '--remove-all')).toEqual({ removed: 1 });
    expect(await svcJson('user', 'passkeys', 'keys@example.com', '--remove-all')).toEqual({ removed: 0 });
    expect((await svcJson('user', 'passkeys', 'keys@example.com')).passkeys).toEqual([]);
    await expectRefusal(['user', 'passkeys', 'nobody@example.com'], /Unknown user/);
  });

  it('grant adds exact credits, in an app or outside any, as rows of the history', async () => {
    const pk = await newPk();
    const outside = await svcJson('user', 'grant', 'Ada@Example.com', '--credits', '12.345678');
    expect(outside).toEqual({
      transaction_id: expect.stringMatching(/^txn_/),
      credits: 12.345678,
      app: null,
    });
    expect(await svcJson('user', 'grant', 'ada@example.com', '--credits', '500', '--app', pk)).toMatchObject({
      credits: 500,
      app: pk,
    });

    const shown = await svcJson('user', 'show', 'ADA@example.com');
    expect(shown).toMatchObject({ email: 'ada@example.com', credits: 512.345678, devices: 0 });
    expect(shown.apps).toEqual([
      expect.objectContaining({ partner_id: null, own: 12.345678 }),
      expect.objectContaining({
        name: expect.stringMatching(/^Acme x+$/),
        own: 500,
        limit: null,
        balance: 500,
        status: 'ok',
        live_keys: 0,
        user_id: expect.stringMatching(/^au_/),
      }),
    ]);
    expect(JSON.stringify(shown)).not.toContain('usr_');
    expect((await svc('user', 'show', 'ada@example.com')).out).toMatch(/Acme x+ +500 +- +500 +0\n/);
    expect(await prisma().event.count()).toBe(0);
  });

  it('grant refuses an invalid amount, an unknown user and an unknown app', async () => {
    const grant = (...more: string[]) => ['user', 'grant', 'eve@example.com', ...more];
    for (const credits of ['0', '-5', '1.1234567', 'abc', '1e3', '9999999999']) {
      await expectRefusal(grant(`--credits=${credits}`), /not an amount of credits/);
    }
    await expectRefusal(grant(), /Missing credits/);
    await expectRefusal(grant('--credits', '5', '--app', 'svc_pk_unknown'), /Unknown partner/);
    await expectRefusal(['user', 'grant', 'eve', '--credits', '5'], /Invalid e-mail address/);
    await expectRefusal(['user', 'show', 'eve@example.com'], /Unknown user eve@example.com/);
  });
});

describe('svc ledger check', () => {
  it('reports that the ledger is correct, and exits 1 with the differences when it is not', async () => {
    await svc('user', 'grant', 'books@example.com', '--credits', '10');
    expect(await svcJson('ledger', 'check')).toMatchObject({ ok: true, differences: [] });
    expect((await svc('ledger', 'check')).out).toMatch(
      /^The ledger is consistent: \d+ users, \d+ transactions\.\n$/,
    );

    const { id } = await prisma().user.findUniqueOrThrow({ where: { email: 'books@example.com' } });
    await prisma().wallet.update({ where: { userId: id }, data: { money: { increment: 1n } } });
    const broken = await svc('ledger', 'check', '--json');
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.out)).toMatchObject({
      ok: false,
      differences: [expect.stringContaining('differs by 1')],
    });
    await prisma().wallet.update({ where: { userId: id }, data: { money: { decrement: 1n } } });
  });
});

describe('svc models and db', () => {
  it('models list prices every model, and check finds no problem', async () => {
    const models = (await svcJson('models', 'list')) as unknown as { id: string }[];
    expect(models.map((model) => model.id)).toContain('sandbox/echo');
    expect((await svcJson('models', 'check')).ok).toBe(true);
  });

  it('db migrate finds an up-to-date database', async () => {
    expect(await svcJson('db', 'migrate')).toEqual({ applied: [] });
  });
});

describe('the command line', () => {
  it('help lists every command, and help with a noun only its own', async () => {
    for (const words of [[], ['help'], ['--help'], ['partner', 'create', '--help']])
      expect((await svc(...words)).code).toBe(0);
    const { out } = await svc('help');
    for (const command of ['partner create', 'partner set-rate', 'user grant', 'ledger check', 'db migrate'])
      expect(out).toContain(command);
    expect((await svc('help', 'user')).out).not.toContain('partner create');
  });

  it('help fits 80 columns, with the usage and the summary of each command on lines of their own', async () => {
    const lines = (await svc('help')).out.trimEnd().split('\n').slice(0, -2);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const starts = lines.flatMap((line, at) => (line.startsWith(' ') ? [] : [at]));
    expect(starts.length).toBeGreaterThan(30);
    for (const [n, start] of starts.entries()) {
      const indents = lines.slice(start, starts[n + 1]).map((line) => line.search(/\S/));
      // The usage, its further lines, and the summary.
      expect(indents.join(' ')).toMatch(/^0( 4)*( 6)+$/);
    }
  });

  it('refuses unknown commands and options in one line', async () => {
    await expectRefusal(['nothing'], /Unknown command "nothing"/);
    await expectRefusal(['partner', 'remove'], /partner create, partner list/);
    await expectRefusal(['partner'], /partner create, partner list/);
    await expectRefusal(['constructor', 'name'], /Unknown command "constructor"/);
    await expectRefusal(['ledger', 'check', '--fast'], /--fast/);
    await expectRefusal(['ledger', 'check', 'now'], /Unexpected argument "now"/);
  });

  it('explains how to fix a database without tables, an unreachable one, and an invalid setting', async () => {
    const environment = { ...process.env };
    const { settings } = await import('@/server/base/env');
    const useDatabase = (address: string) => {
      process.env.DATABASE_URL = address;
      Object.assign(settings(), { DATABASE_URL: address });
    };
    try {
      useDatabase(url.replace(/\/[^/]+$/, '/postgres'));
      await expectRefusal(['partner', 'list'], /db migrate/);
      await expectRefusal(['ledger', 'check'], /db migrate/);
      useDatabase('postgres://nobody@127.0.0.1:1/nothing');
      await expectRefusal(['partner', 'list'], /Cannot reach the database/);
      process.env.PORT = 'many';
      await expectRefusal(['partner', 'list'], /^PORT: expected/);
    } finally {
      process.env = environment;
      Object.assign(settings(), { DATABASE_URL: url });
    }
  });
});
