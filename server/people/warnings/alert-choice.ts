import { prisma } from '../../base/db';

/** Whether a member of a team gets alerts about its apps. Off until they ask for them. */

type OfMember = { teamId: string; email: string };

export async function readAlertChoice({ teamId, email }: OfMember): Promise<boolean> {
  const member = await prisma().teamMember.findUnique({ where: { teamId_email: { teamId, email } } });
  return member?.alerts ?? false;
}

export async function saveAlertChoice({ teamId, email }: OfMember, alerts: boolean): Promise<void> {
  await prisma().teamMember.updateMany({ where: { teamId, email }, data: { alerts } });
}
