import { afterEach, describe, expect, test } from 'vitest';
import { writeAccountMail } from '@/server/account-mail';
import { DAY_MS, now, setClock } from '@/server/clock';
import { prisma } from '@/server/db';
import { findStopOfLink, stopByLink } from '@/server/identity/stop-by-link';
import { readSpendable } from '@/server/ledger';
import { seal } from '@/server/seal';
import { newDatabase } from '../harness/database';
import { newPerson, type Person } from '../harness/people';

await newDatabase();
afterEach(() => setClock());

/** The token of the link in a mail to the user. */
function linkTo({ userId }: Pick<Person, 'userId'>): string {
  const words = { subject: 'Subject', paragraphs: [], link: { label: 'Link', path: '/' }, note: 'Note' };
  const { text, html } = writeAccountMail({ ...words, stops: userId });
  expect(text + html).not.toContain(userId);
  const [address = ''] = /http\S+\/stop\?token=\S+/.exec(text) ?? [];
  return new URL(address).searchParams.get('token') ?? '';
}

const statusOf = async ({ userId, partnerId }: Person) => (await readSpendable(userId, partnerId)).status;

describe('the stop link of a mail', () => {
  test('stops all apps of its user when the button is pressed, and not when it is opened', async () => {
    const [person, other] = [await newPerson({ credits: 10 }), await newPerson({ credits: 10 })];
    const token = linkTo(person);
    expect(await findStopOfLink(token)).toEqual({ isStopped: false });
    expect(await statusOf(person)).toBe('ok');
    expect(await Promise.all([stopByLink(token), stopByLink(token)])).toEqual([true, true]);
    expect(await statusOf(person)).toBe('partner_limit_reached');
    expect(await findStopOfLink(token)).toEqual({ isStopped: true });
    expect(await statusOf(other)).toBe('ok');
  });

  test('works for 30 days, and for nobody if it was changed or made for another purpose', async () => {
    const person = await newPerson({ credits: 10 });
    const token = linkTo(person);
    const late = (now() + 30 * DAY_MS).toString(36);
    const foreign = Buffer.from(seal(`${person.userId}.${late}`, 'webhook-secret')).toString('base64url');
    const changed = `${token.slice(0, 60)}${token[60] === 'A' ? 'B' : 'A'}${token.slice(61)}`;
    for (const wrong of ['', 'x', foreign, changed, `${token}A`, token.slice(0, -4), person.userId]) {
      expect(await findStopOfLink(wrong)).toBeNull();
      expect(await stopByLink(wrong)).toBe(false);
    }
    const start = now();
    setClock(() => start + 30 * DAY_MS + 1);
    expect(await stopByLink(token)).toBe(false);
    setClock(() => start + 29 * DAY_MS);
    expect(await statusOf(person)).toBe('ok');
    expect(await stopByLink(token)).toBe(true);
  });

  test('does nothing once the account is deleted', async () => {
    const person = await newPerson({ credits: 10 });
    const token = linkTo(person);
    await prisma().user.update({ where: { id: person.userId }, data: { deletedAt: new Date() } });
    expect(await stopByLink(token)).toBe(false);
    expect(await statusOf(person)).toBe('ok');
  });
});
