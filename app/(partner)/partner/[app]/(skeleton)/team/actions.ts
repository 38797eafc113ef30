'use server';

import { z } from 'zod';
import type { ActionResult } from '@/app/_ui/action-result';
import * as invitations from '@/server/partners/invitations';
import * as members from '@/server/partners/members';
import { checkName } from '@/server/partners/name';
import { mailboxOf, normaliseEmail } from '@/server/people/email';
import { saveAlertChoice } from '@/server/people/warnings/alert-choice';
import { memberAction, ofApp } from '../../member-action';

const email = z.string().max(320);
const role = z.enum(['developer', 'finance', 'viewer']);
const ofMember = ofApp.extend({ email });
const ofInvitation = ofApp.extend({ invitationId: z.string().max(64) });

const NOT_A_MEMBER: ActionResult = { ok: false, message: 'This person is the owner or no longer a member' };

export const invitePerson = memberAction(
  'members',
  ofMember.extend({ role }),
  async ({ teamId }, input, { userId: actor }) => {
    const parsed = normaliseEmail(input.email);
    if (!parsed.ok) return { ok: false, message: 'Enter an e-mail address', field: 'email' };
    const person = { email: parsed.email, mailbox: mailboxOf(parsed.email), role: input.role };
    const invited = await invitations.invite({ teamId, actor, ...person });
    return invited.ok ? { ok: true, message: 'Invitation sent' } : { ...invited, field: 'email' };
  },
);

export const sendInvitationAgain = memberAction(
  'members',
  ofInvitation,
  async ({ teamId }, { invitationId }, { userId: actor }) => {
    const sent = await invitations.inviteAgain({ teamId, actor, invitationId, mailboxOf });
    return sent.ok ? { ok: true, message: 'Invitation sent again. It is valid for 7 days.' } : sent;
  },
);

export const withdrawInvitation = memberAction(
  'members',
  ofInvitation,
  async ({ teamId }, { invitationId }, { userId: actor }) => {
    const withdrawn = await invitations.withdrawInvitation({ teamId, actor, invitationId });
    return withdrawn.ok ? { ok: true, message: 'Invitation withdrawn' } : withdrawn;
  },
);

export const changeRole = memberAction(
  'members',
  ofMember.extend({ role }),
  async ({ teamId }, input, { userId: actor }) => {
    const isChanged = await members.changeRole({ teamId, actor, email: input.email, role: input.role });
    return isChanged ? { ok: true, message: 'Role changed' } : NOT_A_MEMBER;
  },
);

export const removeMember = memberAction(
  'members',
  ofMember,
  async ({ teamId }, input, { userId: actor }) => {
    const isRemoved = await members.removeMember({ teamId, actor, email: input.email });
    return isRemoved ? { ok: true, message: 'Member removed' } : NOT_A_MEMBER;
  },
);

export const handOver = memberAction('members', ofMember, async ({ teamId }, input, member) => {
  const people = { from: member.email, email: input.email };
  const isHandedOver = await members.handOver({ teamId, actor: member.userId, ...people });
  return isHandedOver ? { ok: true, message: 'Ownership handed over' } : NOT_A_MEMBER;
});

export const leaveTeam = memberAction('view', ofApp, async ({ teamId }, _, member) => {
  const hasLeft = await members.leaveTeam({ teamId, actor: member.userId, email: member.email });
  return hasLeft
    ? { ok: true, message: 'You left the team' }
    : { ok: false, message: 'You own this team. Hand it over to another member first.' };
});

export const renameTeam = memberAction(
  'members',
  ofApp.extend({ name: z.string().max(200) }),
  async ({ teamId }, input, { userId: actor }) => {
    const checked = checkName(input.name);
    if (!checked.ok) return { ok: false, message: checked.reason, field: 'name' };
    await members.renameTeam({ teamId, actor, name: checked.name });
    return { ok: true, message: 'Name saved' };
  },
);

/** Of the member themselves. */
export const saveAlerts = memberAction(
  'develop',
  ofApp.extend({ isOn: z.boolean() }),
  async ({ teamId }, { isOn }, member) => {
    await saveAlertChoice({ teamId, email: member.email }, isOn);
    return { ok: true, message: isOn ? 'Alerts turned on' : 'Alerts turned off' };
  },
  { harmless: 'only decides about e-mails to the member' },
);
