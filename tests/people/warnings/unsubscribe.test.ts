import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { GET, POST } from '@/app/api/unsubscribe/route';
import { setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { seal } from '@/server/base/seal';
import { writeStopPath } from '@/server/base/stop-link';
import { type Subscription, WARNING_KINDS, writeUnsubscribePaths } from '@/server/base/unsubscribe-link';
import { readWarningChoices } from '@/server/people/warnings/choice';
import { findSubscriptionOfLink, unsubscribeByLink } from '@/server/people/warnings/unsubscribe';
import { newDatabase } from '../../harness';
import { openMailbox } from '../identity/mailbox';
import { newSpender, spend, warn } from './spender';

await newDatabase();
const mailbox = await openMailbox();
afterAll(() => setClock());
beforeEach(() => {
  mailbox.mails.length = 0;
});

const tokenOf = (subscription: Subscription): string =>
  new URL(writeUnsubscribePaths(subscription).page, 'http://x').searchParams.get('token') ?? '';

describe('the unsubscribe link of a warning', () => {
  test('ends its own kind with one POST of a mail program, signed in or not', async () => {
    const spender = await newSpender('limits', 'unusual', 'weekly');
    await spend(spender, 900);
    await warn(spender);
    const headers = new Map(mailbox.mails[0]?.mail.headers.map(({ key, value }) => [key, value]));
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const [, address = ''] = /^<(http.+)>$/.exec(headers.get('list-unsubscribe') ?? '') ?? [];
    const request = () => new Request(address, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    const responses = await Promise.all([POST(request()), POST(request())]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await readWarningChoices(spender.userId)).toEqual({ limits: false, unusual: true, weekly: true });
  });

  test('changes nothing when a mail program or a scanner opens it @attack', async () => {
    const { userId } = await newSpender(...WARNING_KINDS);
    for (const kind of WARNING_KINDS) {
      const { oneClick, page } = writeUnsubscribePaths({ userId, kind });
      const opened = await GET(new Request(`http://localhost${oneClick}`));
      expect([opened.status, opened.headers.get('location')?.split('?')[0]]).toEqual([303, '/unsubscribe']);
      expect(page).not.toContain(userId);
      expect(await findSubscriptionOfLink(tokenOf({ userId, kind }))).toEqual({ kind, isOn: true });
    }
  });

  test('does nothing if it was changed or made for another purpose, or its account was deleted @attack', async () => {
    const { userId } = await newSpender('limits');
    const token = tokenOf({ userId, kind: 'limits' });
    const foreign = Buffer.from(seal(`${userId} limits `, 'stop-link')).toString('base64url');
    const other = Buffer.from(seal(`${userId} receipts `, 'unsubscribe-link')).toString('base64url');
    const changed = `${token.slice(0, 60)}${token[60] === 'A' ? 'B' : 'A'}${token.slice(61)}`;
    const stop = new URL(writeStopPath({ userId }), 'http://x').searchParams.get('token') ?? '';
    for (const wrong of ['', 'x', foreign, other, changed, `${token}A`, token.slice(0, -4), userId, stop]) {
      expect(await findSubscriptionOfLink(wrong)).toBeNull();
      expect(await unsubscribeByLink(wrong)).toBe(false);
      const url = `http://localhost/api/unsubscribe?token=${encodeURIComponent(wrong)}`;
      expect((await POST(new Request(url, { method: 'POST' }))).status).toBe(404);
    }
    expect((await readWarningChoices(userId)).limits).toBe(true);
    await prisma().user.update({ where: { id: userId }, data: { deletedAt: new Date() } });
    expect(await unsubscribeByLink(token)).toBe(false);
  });

  test('ends alerts of one team for one member', async () => {
    const { userId, email } = await newSpender();
    const teams = ['team_a', 'team_b'];
    for (const id of teams) {
      await prisma().team.create({ data: { id, name: id } });
      for (const member of [email, 'other@example.com'])
        await prisma().teamMember.create({
          data: { teamId: id, email: member, role: 'developer', alerts: true },
        });
    }
    const token = tokenOf({ userId, kind: 'alerts', teamId: 'team_a' });
    expect(await findSubscriptionOfLink(token)).toEqual({ kind: 'alerts', isOn: true });
    expect(await unsubscribeByLink(token)).toBe(true);
    const left = await prisma().teamMember.findMany({ where: { alerts: true }, orderBy: { email: 'asc' } });
    expect(left.map(({ teamId, email: of }) => [teamId, of]).sort()).toEqual(
      [
        ['team_a', 'other@example.com'],
        ['team_b', 'other@example.com'],
        ['team_b', email],
      ].sort(),
    );
  });
});
