'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import * as invitations from '@/server/partners/invitations';
import { listTeams } from '@/server/partners/teams';
import { STATE_WORDS } from './state-words';

export const acceptInvitation = sessionAction(
  z.object({ invitationId: z.string().max(64) }),
  async ({ userId, email }, { invitationId }) => {
    const accepted = await invitations.acceptInvitation(userId, invitationId);
    if (accepted === null) return { ok: false, message: 'There is no such invitation for you' };
    if ('state' in accepted) return { ok: false, message: STATE_WORDS[accepted.state].title };
    const team = (await listTeams(email)).find(({ teamId }) => teamId === accepted.teamId);
    return { ok: true, message: 'You joined the team', value: { partnerId: team?.apps.at(-1)?.id ?? null } };
  },
);
