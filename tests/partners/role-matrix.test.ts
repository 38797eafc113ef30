import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, now } from '@/server/base/clock';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPartner } from '@/server/partners/partner';
import { ROLES, type Role } from '@/server/partners/rights';
import { setEndpoint } from '@/server/partners/webhooks/endpoint';
import { sendTestEvent } from '@/server/partners/webhooks/send-test-event';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { openSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';
import { buildPages, bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { Dashboard } from '../people/identity/dashboard';
import { openMailbox } from '../people/identity/mailbox';
import { Instance } from '../sim/instances';

/**
 * Calls every action and opens every page of an app with each role, as a former member and as a stranger. The
 * tables say who may; they are written by hand, so that a change of the rights has to be made twice. A new action
 * or page fails the test until it has a row.
 */

const ALL: Role[] = ['owner', 'developer', 'finance', 'viewer'];
const DEVELOP: Role[] = ['owner', 'developer'];
const MONEY: Role[] = ['owner', 'finance'];
const SEE_PAYOUTS: Role[] = ['owner', 'finance', 'viewer'];
const OWNER: Role[] = ['owner'];

const NO_LIMITS = { day: '', month: '', request: '', rule: 'all', models: [] };

/** Inputs are valid in form and change nothing that a later row needs. */
const ACTIONS: Record<string, { roles: Role[]; input?: object }> = {
  saveRate: { roles: MONEY, input: { percent: '30', effectiveAt: null } },
  cancelRate: { roles: MONEY },
  rotateKey: { roles: DEVELOP },
  saveKeyNetworks: { roles: DEVELOP, input: { networks: '' } },
  saveModels: { roles: DEVELOP, input: { models: null } },
  saveDataRules: { roles: DEVELOP, input: { rules: ['no_training'] } },
  saveLimitsOfApp: { roles: DEVELOP, input: NO_LIMITS },
  saveLimitsOfUser: { roles: DEVELOP, input: { user: 'au_none', ...NO_LIMITS } },
  removeLimitsOfUser: { roles: DEVELOP, input: { user: 'au_none' } },
  addOrigin: { roles: DEVELOP, input: { origin: 'https://matrix.example' } },
  removeOrigin: { roles: DEVELOP, input: { origin: 'https://matrix.example' } },
  addRedirect: { roles: DEVELOP, input: { uri: 'https://matrix.example/back' } },
  removeRedirect: { roles: DEVELOP, input: { uri: 'https://matrix.example/back' } },
  rename: { roles: DEVELOP, input: { name: 'Matrix' } },
  changeProfile: { roles: DEVELOP, input: { site: '', support: 'help@matrix.example' } },
  askForReview: { roles: DEVELOP },
  pauseOwnApp: { roles: DEVELOP },
  resumeOwnApp: { roles: DEVELOP },
  // The name is wrong, so nothing is deleted.
  deleteOwnApp: { roles: OWNER, input: { name: 'Wrong' } },
  saveEndpoint: { roles: DEVELOP, input: { url: 'http://127.0.0.1:9/hook' } },
  clearEndpoint: { roles: DEVELOP },
  sendTest: { roles: DEVELOP },
  resend: { roles: DEVELOP, input: { eventId: 'evt_none' } },
  showSecrets: { roles: DEVELOP },
  beginRotation: { roles: DEVELOP },
  finishRotation: { roles: DEVELOP },
  cancelRotation: { roles: DEVELOP },
  createSecret: { roles: DEVELOP },
  invitePerson: { roles: OWNER, input: { email: 'not an address', role: 'viewer' } },
  sendInvitationAgain: { roles: OWNER, input: { invitationId: 'inv_none' } },
  withdrawInvitation: { roles: OWNER, input: { invitationId: 'inv_none' } },
  changeRole: { roles: OWNER, input: { email: 'nobody@example.com', role: 'viewer' } },
  removeMember: { roles: OWNER, input: { email: 'nobody@example.com' } },
  handOver: { roles: OWNER, input: { email: 'nobody@example.com' } },
  saveAlerts: { roles: DEVELOP, input: { isOn: false } },
  renameTeam: { roles: OWNER, input: { name: 'Matrix team' } },
  savePayee: {
    roles: MONEY,
    input: { name: '', address: '', country: '', taxId: '', destination: '' },
  },
  setUpPayouts: { roles: MONEY, input: { country: '' } },
  openPayoutAccount: { roles: MONEY },
  disconnectPayoutAccount: { roles: OWNER },
  askForPayout: { roles: MONEY },
  // Last: a member who left is a stranger. The owner has to hand over first.
  leaveTeam: { roles: ALL },
};

/** The first that begins the path. */
const PAGES: [string, Role[]][] = [
  ['/payouts', SEE_PAYOUTS],
  ...[
    '/cohorts',
    '/commission',
    '/earnings',
    '/errors',
    '/integration',
    '/keys',
    '/limits',
    '/models',
    '/no-access',
    '/origins',
    '/requests',
    '/settings',
    '/team',
    '/users',
    '/webhooks',
  ].map((place): [string, Role[]] => [place, ALL]),
];
const rolesOf = (place: string): Role[] | undefined =>
  place === '' ? ALL : PAGES.find(([start]) => place === start || place.startsWith(`${start}/`))?.[1];

process.env.WEBHOOK_ALLOW_LOOPBACK = 'true';
const { url: databaseUrl } = await newDatabase();
await openMailbox();
const folder = mkdtempSync(path.join(tmpdir(), 'roles-'));
let server: Instance | undefined;
let dashboard: Dashboard;

beforeAll(async () => {
  await buildPages();
  await bundleServer();
  server = await Instance.start(folder, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    AUTH_SECRET: process.env.AUTH_SECRET ?? '',
    DATABASE_URL: databaseUrl,
    SMTP_URL: process.env.SMTP_URL ?? '',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  });
  dashboard = new Dashboard(server.url.replace('127.0.0.1', 'localhost'));
}, 300_000);

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

type Person = Role | 'former' | 'stranger';

/** An app with one member of each role, and the tokens of everyone. */
async function newWorld() {
  const tokens = {} as Record<Person, string>;
  const emails = {} as Record<Person, string>;
  for (const person of [...ROLES, 'former', 'stranger'] as const) {
    emails[person] = `${person}-${newId('usr').slice(4, 12).toLowerCase()}@example.com`;
    tokens[person] = await inTransaction(async (tx) => {
      const { id: userId } = await openUser(tx, emails[person]);
      return (await openSession(tx, { userId, userAgent: 'test' })).token;
    });
  }
  const app = await createPartner({ name: 'Matrix', rateBp: 2_500, origins: [], ownerEmail: emails.owner });
  const teamId = app.teamId ?? '';
  for (const role of ['developer', 'finance', 'viewer'] as const)
    await prisma().teamMember.create({ data: { teamId, email: emails[role], role } });
  await prisma().teamMember.create({ data: { teamId, email: emails.former, role: 'developer' } });
  await prisma().teamMember.delete({ where: { teamId_email: { teamId, email: emails.former } } });
  return { app, teamId, tokens };
}

/** The actions that `memberAction` creates, by name. */
const memberActions = readdirSync('app/(partner)', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => [
    ...readFileSync(`app/(partner)/${file}`, 'utf8').matchAll(/^export const (\w+) = memberAction\(/gm),
  ])
  .map(([, name = '']) => name);

const PEOPLE: Person[] = [...ROLES, 'former', 'stranger'];
const TOLD_APART = /Only .+ can do this/;

test('every action of an app works for the roles that have its right, and changes nothing for anyone else @attack', async () => {
  expect(memberActions.filter((action) => !(action in ACTIONS))).toEqual([]);
  expect(memberActions.length).toBeGreaterThan(20);
  const { app, tokens } = await newWorld();
  const rows = Object.entries(ACTIONS).filter(([action]) => memberActions.includes(action));
  for (const [action, { roles, input }] of rows) {
    // The refused first: what they leave behind would be seen.
    const order = [...PEOPLE].sort(
      (a, b) => Number(roles.includes(a as Role)) - Number(roles.includes(b as Role)),
    );
    for (const person of order) {
      const before = await readFacts();
      const sender = { token: tokens[person], headers: dashboard.ownPage };
      const { result } = await dashboard.call(action, { partnerId: app.id, ...input }, sender);
      const message = String(result?.message ?? '');
      const label = `${action} as ${person}: ${message}`;
      if (roles.includes(person as Role)) {
        expect([label, result === null || TOLD_APART.test(message), /no such app/.test(message)]).toEqual([
          label,
          false,
          false,
        ]);
      } else {
        expect([label, result?.ok]).toEqual([label, false]);
        expect(message).toMatch(ROLES.includes(person as Role) ? TOLD_APART : /no such app/);
        expect(await readFacts(), label).toBe(before);
      }
    }
  }
}, 120_000);

test('every page and export of an app opens for the roles that may see it, and does not exist for strangers and former members @attack', async () => {
  const { app, teamId, tokens } = await newWorld();
  await setEndpoint(app.id, 'http://127.0.0.1:9/hook');
  await sendTestEvent(app.id);
  const { id: event } = await prisma().event.findFirstOrThrow({ where: { partnerId: app.id } });
  const payout = newId('po');
  const paid = { period: new Date('2026-10-01'), amount: 1_000_000n, method: 'manual', state: 'planned' };
  await prisma().payout.create({
    data: { ...paid, id: payout, teamId, postedUntil: new Date(now() - DAY_MS) },
  });
  const request = newId('req');
  await pool().query(
    `INSERT INTO refusal_hour (hour, partner_id, code, count, first_request_id)
     VALUES ('2026-11-03T10:00:00Z', $1, 'rate_limited', 1, $2)`,
    [app.id, request],
  );
  const ids: Record<string, string> = { event, payout, request };
  const places = readdirSync('app/(partner)/partner/[app]', { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)(page\.tsx|route(\.api)?\.ts)$/.test(file))
    .map((file) => `/${file}`.replace(/\/\(\w+\)(?=\/)|\/(page\.tsx|route(\.api)?\.ts)$/g, ''));
  expect(places.filter((place) => rolesOf(place) === undefined)).toEqual([]);
  expect(places.length).toBeGreaterThan(14);
  for (const place of places) {
    const address = `/partner/${app.id}${place.replace(/\[(\w+)\]/g, (_, name: string) => ids[name] ?? 'none')}`;
    for (const person of PEOPLE) {
      const label = `${place} as ${person}`;
      expect([label, await open(address, tokens[person])]).toEqual([label, expected(place, person)]);
    }
  }
}, 120_000);

function expected(place: string, person: Person): 'opens' | 'asks for another role' | 'does not exist' {
  if (!ROLES.includes(person as Role)) return 'does not exist';
  return rolesOf(place)?.includes(person as Role) ? 'opens' : 'asks for another role';
}

/** What a browser gets: a redirect of a page that had begun is in its text. */
async function open(address: string, token: string) {
  const init = {
    redirect: 'manual',
    headers: { ...dashboard.ownPage, cookie: `${SESSION_COOKIE}=${token}` },
  } as const;
  const response = await fetch(dashboard.url + address, init);
  const text = `${response.headers.get('location') ?? ''}${await response.text()}`;
  if (response.status === 404) return 'does not exist';
  if (text.includes('/no-access?needs=')) return 'asks for another role';
  return response.status < 400 ? 'opens' : `status ${response.status}`;
}

/** Everything that an action of an app can change. */
async function readFacts(): Promise<string> {
  const tables = [
    'partner',
    'partner_rate',
    'partner_origin',
    'partner_redirect',
    'partner_profile',
    'partner_limit',
    'event',
    'retired_publishable_key',
    'team',
    'team_member',
    'team_invitation',
    'audit_entry',
    'payee_details',
    'payout_account',
    'payout',
  ];
  const digests = tables.map(
    (table) =>
      `SELECT '${table}' AS name, md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS d FROM ${table} t`,
  );
  const { rows } = await pool().query(`${digests.join(' UNION ALL ')} ORDER BY name`);
  return JSON.stringify(rows);
}
