import { afterEach, describe, expect, test } from 'vitest';
import { writeAccountMail } from '@/server/base/account-mail';
import { DAY_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { seal } from '@/server/base/seal';
import { ALL_APPS, readLimits, readSpendable } from '@/server/ledger';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import { findStopOfLink, stopByLink } from '@/server/people/stop-by-link';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';

await newDatabase();
afterEach(() => setClock());

/** The token of the link in a mail to the user, about one app or none. */
function linkTo({ userId }: Pick<Person, 'userId'>, partnerId?: string): string {
  const words = { subject: 'Subject', paragraphs: [], link: { label: 'Link', path: '/' }, note: 'Note' };
  const { text, html } = writeAccountMail({ ...words, stops: { userId, partnerId } });
  expect(text + html).not.toContain(userId);
  const [address = ''] = /http\S+\/stop\?token=\S+/.exec(text) ?? [];
  return new URL(address).searchParams.get('token') ?? '';
}

const statusOf = async ({ userId, partnerId }: Person) => (await readSpendable(userId, partnerId)).status;

describe('the stop link of a mail', () => {
  test('stops all apps of its user when the button is pressed, and not when it is opened', async () => {
    const [person, other] = [await newPerson({ credits: 10 }), await newPerson({ credits: 10 })];
    const token = linkTo(person);
    expect(await findStopOfLink(token)).toEqual({ isStopped: false, app: null });
    expect(await statusOf(person)).toBe('ok');
    expect(await Promise.all([stopByLink(token, 'all'), stopByLink(token, 'all')])).toEqual([true, true]);
    expect(await statusOf(person)).toBe('partner_limit_reached');
    expect(await findStopOfLink(token)).toEqual({ isStopped: true, app: null });
    expect(await statusOf(other)).toBe('ok');
  });

  test('about an app stops that app alone, or all apps', async () => {
    const person = await newPerson({ credits: 10 });
    const { userId, partnerId } = person;
    const { id: another } = await createPartner({ name: 'Another', rateBp: 0, origins: [] });
    await inTransaction((tx) => openAppUser(tx, { userId, partnerId: another }));
    const token = linkTo(person, partnerId);
    const scopes = async () =>
      (await readLimits(userId)).limits.filter(({ isStopped }) => isStopped).map((limit) => limit.partnerId);
    expect(await findStopOfLink(token)).toEqual({
      isStopped: false,
      app: { name: 'Test app', isStopped: false },
    });
    expect(await stopByLink(token, 'app')).toBe(true);
    expect(await scopes()).toEqual([partnerId]);
    expect(await findStopOfLink(token)).toEqual({
      isStopped: false,
      app: { name: 'Test app', isStopped: true },
    });
    expect(await stopByLink(token, 'all')).toBe(true);
    expect(await scopes()).toEqual([ALL_APPS, partnerId]);
    await prisma().partner.update({ where: { id: partnerId }, data: { nameApprovedAt: null } });
    expect((await findStopOfLink(token))?.app?.name).toBeNull();
  });

  test('about no app stops no single one', async () => {
    const person = await newPerson({ credits: 10 });
    expect(await stopByLink(linkTo(person), 'app')).toBe(false);
    expect(await statusOf(person)).toBe('ok');
  });

  test('works for 30 days, and for nobody if it was changed or made for another purpose @attack', async () => {
    const person = await newPerson({ credits: 10 });
    const token = linkTo(person);
    const late = (now() + 30 * DAY_MS).toString(36);
    const foreign = Buffer.from(seal(`${person.userId}.${late}`, 'webhook-secret')).toString('base64url');
    const changed = `${token.slice(0, 60)}${token[60] === 'A' ? 'B' : 'A'}${token.slice(61)}`;
    for (const wrong of ['', 'x', foreign, changed, `${token}A`, token.slice(0, -4), person.userId]) {
      expect(await findStopOfLink(wrong)).toBeNull();
      expect(await stopByLink(wrong, 'all')).toBe(false);
    }
    const start = now();
    setClock(() => start + 30 * DAY_MS + 1);
    expect(await stopByLink(token, 'all')).toBe(false);
    setClock(() => start + 29 * DAY_MS);
    expect(await statusOf(person)).toBe('ok');
    expect(await stopByLink(token, 'all')).toBe(true);
  });

  test('does nothing once the account is deleted', async () => {
    const person = await newPerson({ credits: 10 });
    const token = linkTo(person);
    await prisma().user.update({ where: { id: person.userId }, data: { deletedAt: new Date() } });
    expect(await stopByLink(token, 'all')).toBe(false);
    expect(await statusOf(person)).toBe('ok');
  });
});
