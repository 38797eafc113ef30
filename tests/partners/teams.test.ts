import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { lockAccount } from '@/server/base/lock-account';
import { changePartner } from '@/server/operator/change-partner';
import { changeApp } from '@/server/partners/app-facts';
import { listTeamActions, nameActor } from '@/server/partners/audit-log';
import * as invitations from '@/server/partners/invitations';
import { changeRole, handOver, leaveTeam, listMembers, removeMember } from '@/server/partners/members';
import { addOrigin, createPartner, type Partner } from '@/server/partners/partner';
import type { Role } from '@/server/partners/rights';
import { signUpPartner } from '@/server/partners/sign-up';
import { type AppOfTeam, findMembership, listTeams, lockTeam, moveToOwner } from '@/server/partners/teams';
import { deleteAccount } from '@/server/people/delete-account';
import { mailboxOf } from '@/server/people/email';
import { openUser } from '@/server/people/users';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../harness';
import { until } from '../harness/until';
import { openMailbox } from '../people/identity/mailbox';

const mailbox = await openMailbox();
await newDatabase();
afterEach(() => setClock());

let people = 0;

async function newPerson() {
  const email = `member-${++people}@example.com`;
  return { email, userId: (await inTransaction((tx) => openUser(tx, email))).id };
}

async function newTeam() {
  const owner = await newPerson();
  const app = await createPartner({
    name: `App ${people}`,
    rateBp: 2_500,
    origins: [],
    ownerEmail: owner.email,
  });
  const { teamId } = app as AppOfTeam;
  return { owner, app: app as AppOfTeam, teamId };
}

type Team = Awaited<ReturnType<typeof newTeam>>;

async function newMember({ teamId }: Team, role: Role) {
  const person = await newPerson();
  await prisma().teamMember.create({ data: { teamId, email: person.email, role } });
  return person;
}

async function newInvitation(
  { teamId, owner }: Team,
  role: 'developer' | 'finance' | 'viewer' = 'developer',
) {
  const person = await newPerson();
  const asked = { teamId, actor: owner.userId, email: person.email, mailbox: person.email, role };
  expect(await invitations.invite(asked)).toEqual({ ok: true });
  const { id } = await prisma().teamInvitation.findFirstOrThrow({ where: { email: person.email } });
  return { ...person, invitationId: id };
}

const roleOf = async ({ email }: { email: string }, { app }: Team) =>
  (await findMembership(email, app.id))?.role ?? null;
const mailsTo = (email: string) =>
  mailbox.mails.filter(({ recipients }) => recipients.includes(email)).map(({ mail }) => mail);
const ownersOf = async (teamId: string) =>
  (await listMembers(teamId)).filter(({ role }) => role === 'owner').map(({ email }) => email);

describe('an invitation', () => {
  it('makes the invited person a member, once, with the role that the owner chose @attack', async () => {
    const team = await newTeam();
    const { userId, email, invitationId } = await newInvitation(team, 'finance');
    expect(await roleOf({ email }, team)).toBeNull();
    const accepted = await Promise.all(
      [1, 2, 3].map(() => invitations.acceptInvitation(userId, invitationId)),
    );
    expect(accepted.filter((result) => result !== null && 'teamId' in result)).toHaveLength(1);
    expect(await roleOf({ email }, team)).toBe('finance');
    await removeMember({ teamId: team.teamId, actor: team.owner.userId, email });
    expect(await invitations.acceptInvitation(userId, invitationId)).toEqual({ state: 'accepted' });
    expect(await roleOf({ email }, team)).toBeNull();
  });

  it('is nothing to another account that has its link @attack', async () => {
    const team = await newTeam();
    const { invitationId } = await newInvitation(team);
    const thief = await newPerson();
    expect(await invitations.findReceived(invitationId, thief.email)).toBeNull();
    expect(await invitations.acceptInvitation(thief.userId, invitationId)).toBeNull();
    expect(await roleOf(thief, team)).toBeNull();
  });

  it('expires after 7 days, and is valid again once it is sent again @attack', async () => {
    const team = await newTeam();
    const { userId, email, invitationId } = await newInvitation(team);
    const start = now();
    setClock(() => start + 7 * DAY_MS + 1);
    expect(await invitations.findReceived(invitationId, email)).toMatchObject({ state: 'expired' });
    expect(await invitations.acceptInvitation(userId, invitationId)).toEqual({ state: 'expired' });
    expect(await roleOf({ email }, team)).toBeNull();
    const asked = { teamId: team.teamId, actor: team.owner.userId, invitationId };
    expect(await invitations.inviteAgain({ ...asked, mailboxOf })).toEqual({ ok: true });
    expect(await invitations.acceptInvitation(userId, invitationId)).toEqual({ teamId: team.teamId });
  });

  it('that was withdrawn says so, and a new one replaces it @attack', async () => {
    const team = await newTeam();
    const { userId, email, invitationId } = await newInvitation(team);
    const { teamId } = team;
    const actor = team.owner.userId;
    const other = await newTeam();
    const asOther = { teamId: other.teamId, actor: other.owner.userId, invitationId };
    expect(await invitations.withdrawInvitation(asOther)).toMatchObject({ ok: false });
    expect(await invitations.withdrawInvitation({ teamId, actor, invitationId })).toEqual({ ok: true });
    expect(await invitations.acceptInvitation(userId, invitationId)).toEqual({ state: 'withdrawn' });
    const again = { teamId, actor, email, mailbox: email, role: 'viewer' } as const;
    expect(await invitations.invite(again)).toEqual({ ok: true });
    expect(await invitations.invite(again)).toMatchObject({ ok: false });
    expect(await invitations.acceptInvitation(userId, invitationId)).toBeNull();
  });

  it('is mailed once, and the mail names who sent it by their address, and no name that no operator approved @attack', async () => {
    const owner = await newPerson();
    const name = 'Win a prize';
    const signUp = { ...owner, teamId: null, name, rateBp: 0, origins: [] };
    const app = (await signUpPartner(signUp)) as AppOfTeam;
    const team = { owner, app, teamId: app.teamId };
    const first = await newInvitation(team);
    await Promise.all([sendMails('invitation'), sendMails('invitation')]);
    await sendMails('invitation');
    const [mail, ...others] = mailsTo(first.email);
    expect(others).toEqual([]);
    const whole = JSON.stringify(mail);
    expect(whole).toContain(`/team/invitations/${first.invitationId}`);
    expect(whole).not.toContain(name);
    expect(whole).toContain(`${owner.email} invites you to join`);
    await prisma().partner.update({ where: { id: app.id }, data: { nameApprovedAt: new Date() } });
    const second = await newInvitation(team);
    await sendMails('invitation');
    expect(JSON.stringify(mailsTo(second.email))).toContain(name);
  });

  it('fills the sign-in that it leads to with the invited address, and only while it is open @attack', async () => {
    const team = await newTeam();
    const { email, invitationId } = await newInvitation(team);
    const path = `/team/invitations/${invitationId}`;
    expect(await invitations.findInvitedAddress(path)).toBe(email);
    for (const other of [
      `${path}/`,
      `${path}x`,
      `/account?return=${path}`,
      '/team/invitations/inv_',
      '/account',
    ])
      expect(await invitations.findInvitedAddress(other), other).toBeNull();
    await invitations.withdrawInvitation({ teamId: team.teamId, actor: team.owner.userId, invitationId });
    expect(await invitations.findInvitedAddress(path)).toBeNull();
  });

  it('is refused beyond 20 mails of a team and 5 to a mailbox in a day @attack', async () => {
    const team = await newTeam();
    const asked = { teamId: team.teamId, actor: team.owner.userId, role: 'viewer' } as const;
    const sent = await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        invitations.invite({ ...asked, email: `a-${n}@many.example`, mailbox: `a-${n}@many.example` }),
      ),
    );
    expect(sent.filter(({ ok }) => ok)).toHaveLength(20);
    const results = [];
    for (let n = 0; n < 6; n++) {
      const { teamId, owner } = await newTeam();
      const email = `victim+${n}@many.example`;
      const person = { email, mailbox: mailboxOf(email), role: 'viewer' } as const;
      results.push((await invitations.invite({ teamId, actor: owner.userId, ...person })).ok);
    }
    expect(results).toEqual([true, true, true, true, true, false]);
  });
});

async function countWaitingForLocks(): Promise<number> {
  const [row] = await prisma().$queryRaw<{ waiting: number }[]>`
    SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.waiting ?? 0;
}
const isWaiting = () => until(countWaitingForLocks, (count) => count > 0);

describe('a team', () => {
  it('that ends with its owner’s account while an operator gives it an app is replaced by a new one @attack', async () => {
    const { owner, app } = await newTeam();
    const { email } = await newPerson();
    const ending = { id: newId('tm'), name: 'Ending' };
    await prisma().team.create({ data: { ...ending, members: { create: { email, role: 'owner' } } } });
    let moved: Promise<void> | undefined;
    await inTransaction(async (tx) => {
      await lockTeam(tx, ending.id);
      moved = moveToOwner(app.id, email);
      await isWaiting();
      await tx.teamMember.deleteMany({ where: { teamId: ending.id } });
    });
    await moved;
    expect(await findMembership(email, app.id)).toMatchObject({ role: 'owner' });
    expect(await findMembership(owner.email, app.id)).toBeNull();
  });

  it('gets no app from an account that is being deleted @attack', async () => {
    const person = await newPerson();
    const signUp = { ...person, teamId: null, name: 'Too late', rateBp: 0, origins: [] };
    let signedUp: Promise<unknown> | undefined;
    await inTransaction(async (tx) => {
      await lockAccount(tx, person.userId);
      signedUp = signUpPartner(signUp).then(
        () => 'signed up',
        (error: Error) => error.message,
      );
      await isWaiting();
      await tx.user.update({ where: { id: person.userId }, data: { deletedAt: new Date() } });
    });
    expect(await signedUp).toBe('This account has been deleted.');
    expect(await listTeams(person.email)).toEqual([]);
  });

  it('has at most 50 people, also if invitations that expired are sent again @attack', async () => {
    const team = await newTeam();
    const { teamId } = team;
    const asked = { teamId, actor: team.owner.userId, mailboxOf };
    const { invitationId, email } = await newInvitation(team);
    const other = await newInvitation(team);
    const expired = { where: { id: { in: [invitationId, other.invitationId] } } };
    await prisma().teamInvitation.updateMany({ ...expired, data: { expiresAt: new Date(0) } });
    await prisma().teamMember.createMany({
      data: Array.from({ length: 48 }, (_, n) => ({ teamId, email: `m-${n}-${email}`, role: 'viewer' })),
    });
    expect(await invitations.inviteAgain({ ...asked, invitationId })).toEqual({ ok: true });
    // One that is valid only gets more time.
    expect(await invitations.inviteAgain({ ...asked, invitationId })).toEqual({ ok: true });
    const full = { ok: false, message: expect.stringContaining('at most 50 members') };
    expect(await invitations.inviteAgain({ ...asked, invitationId: other.invitationId })).toEqual(full);
  });
});

describe('a member', () => {
  it('who is removed, leaves or gets another role has only the new rights at once, and gets a mail @attack', async () => {
    const team = await newTeam();
    const { teamId } = team;
    const actor = team.owner.userId;
    const [removed, leaver, changed] = [
      await newMember(team, 'developer'),
      await newMember(team, 'finance'),
      await newMember(team, 'viewer'),
    ];
    expect(await removeMember({ teamId, actor, email: removed.email })).toBe(true);
    expect(await leaveTeam({ teamId, actor: leaver.userId, email: leaver.email })).toBe(true);
    expect(await changeRole({ teamId, actor, email: changed.email, role: 'finance' })).toBe(true);
    const roles = await Promise.all([removed, leaver, changed].map((person) => roleOf(person, team)));
    expect(roles).toEqual([null, null, 'finance']);
    expect(mailsTo(removed.email)[0]?.subject).toContain('removed');
    expect(mailsTo(changed.email)[0]?.text).toContain('finance');
    const asked = { teamId, actor, email: team.owner.email };
    expect(await removeMember(asked)).toBe(false);
    expect(await leaveTeam(asked)).toBe(false);
    expect(await changeRole({ ...asked, role: 'viewer' })).toBe(false);
    expect(await ownersOf(teamId)).toEqual([team.owner.email]);
  });

  it('gets the ownership from its owner only, who becomes a developer', async () => {
    const team = await newTeam();
    const heir = await newMember(team, 'viewer');
    const { teamId } = team;
    const asked = { teamId, actor: team.owner.userId };
    const stranger = await newPerson();
    expect(await handOver({ ...asked, from: team.owner.email, email: stranger.email })).toBe(false);
    expect(await handOver({ ...asked, from: heir.email, email: heir.email })).toBe(false);
    expect(await handOver({ ...asked, from: team.owner.email, email: heir.email })).toBe(true);
    expect([await roleOf(team.owner, team), await roleOf(heir, team)]).toEqual(['developer', 'owner']);
    expect(mailsTo(heir.email)[0]?.subject).toContain('own a team');
    expect(mailsTo(team.owner.email)[0]?.subject).toContain('handed over');
  });

  it('and only one, owns the team, whatever happens at the same time @attack', async () => {
    const team = await newTeam();
    const heirs = await Promise.all([1, 2, 3, 4].map(() => newMember(team, 'developer')));
    const { teamId } = team;
    const asked = { teamId, actor: team.owner.userId };
    const done = await Promise.all(
      heirs.flatMap(({ email, userId }) => [
        handOver({ ...asked, from: team.owner.email, email }),
        removeMember({ ...asked, email }),
        leaveTeam({ teamId, actor: userId, email }),
        handOver({ teamId, actor: userId, from: email, email: team.owner.email }),
        deleteAccount(userId).then(
          () => true,
          () => false,
        ),
      ]),
    );
    expect(done).toContain(true);
    expect(await ownersOf(teamId)).toHaveLength(1);
  });
});

describe('deleting an account', () => {
  it('is refused to the owner of a team with apps until they hand it over', async () => {
    const team = await newTeam();
    const heir = await newMember(team, 'viewer');
    await expect(deleteAccount(team.owner.userId)).rejects.toMatchObject({
      message: expect.stringContaining('Hand it over'),
    });
    const { teamId, owner } = team;
    await handOver({ teamId, actor: owner.userId, from: owner.email, email: heir.email });
    await deleteAccount(owner.userId);
    expect((await listMembers(teamId)).map(({ email }) => email)).toEqual([heir.email]);
    const { actions } = await listTeamActions(teamId, { limit: 50 });
    expect(actions.map(({ actor }) => actor)).toContain('a deleted account');
    expect(JSON.stringify(actions)).not.toContain(owner.email);
    expect(await nameActor(owner.userId)).toBe('a deleted account');
  });

  it('ends memberships and invitations', async () => {
    const team = await newTeam();
    const member = await newMember(team, 'finance');
    const invited = await newInvitation(team);
    await deleteAccount(member.userId);
    await deleteAccount(invited.userId);
    expect(await listMembers(team.teamId)).toHaveLength(1);
    expect(await invitations.listInvitations(team.teamId)).toEqual([]);
  });
});

describe('the team’s log', () => {
  it('says who changed what, before and after, also for the operator, and pages through everything @attack', async () => {
    const team = await newTeam();
    const { app, teamId, owner } = team;
    await changeApp({ app, actor: owner.userId, what: 'app.origin_add' }, (tx) =>
      addOrigin(app.id, 'https://log.example', owner.userId, tx),
    );
    await changeApp({ app, actor: owner.userId, what: 'app.origin_add' }, (tx) =>
      addOrigin(app.id, 'https://log.example', owner.userId, tx),
    );
    const byOperator = { operator: 'op@example.com', partnerId: app.id, reason: 'a secret reason' };
    await changePartner({ ...byOperator, change: { do: 'rate_cap', rateCapBp: 5_000 } });
    const { actions, hasMore } = await listTeamActions(teamId, { limit: 1 });
    expect([actions[0], hasMore]).toMatchObject([
      {
        actor: 'the operator',
        what: 'app.rate_cap',
        appName: app.name,
        before: { rate_cap: 100 },
        after: { rate_cap: 50 },
      },
      true,
    ]);
    const rest = await listTeamActions(teamId, { before: actions[0]?.id, limit: 50 });
    expect(rest.actions).toMatchObject([
      {
        actor: owner.email,
        what: 'app.origin_add',
        before: { origins: [] },
        after: { origins: ['https://log.example'] },
      },
    ]);
    expect(JSON.stringify([actions, rest])).not.toMatch(/secret reason|op@example/);
  });

  it('of both teams shows that the operator moved an app, with everything in it', async () => {
    const [from, to] = [await newTeam(), await newTeam()];
    const change = { do: 'owner', ownerEmail: to.owner.email } as const;
    const asked = { operator: 'op@example.com', partnerId: from.app.id, reason: 'sold' };
    await changePartner({ ...asked, change });
    expect(await roleOf(to.owner, from)).toBe('owner');
    expect(await roleOf(from.owner, from)).toBeNull();
    for (const { teamId } of [from, to]) {
      const { actions } = await listTeamActions(teamId, { limit: 50 });
      expect(actions.map(({ what }) => what)).toContain('app.owner');
    }
    const [team] = await listTeams(to.owner.email);
    expect(team?.apps.map(({ id }: Partner) => id).sort()).toEqual([from.app.id, to.app.id].sort());
  });
});

it('a new app goes to the team that its creator chose, if their role allows it', async () => {
  const team = await newTeam();
  const signUp = (person: { email: string; userId: string }, name: string) =>
    signUpPartner({ ...person, teamId: team.teamId, name, rateBp: 0, origins: [] });
  const [developer, viewer, stranger] = [
    await newMember(team, 'developer'),
    await newMember(team, 'viewer'),
    await newPerson(),
  ];
  expect((await signUp(developer, 'Chosen')).teamId).toBe(team.teamId);
  await expect(signUp(viewer, 'Refused')).rejects.toThrow('Only the owner and developers');
  await expect(signUp(stranger, 'Unknown')).rejects.toMatchObject({ code: 'not_found' });
});
