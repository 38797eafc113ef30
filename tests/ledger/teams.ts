import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';

/** A team that manages the apps. */
export async function newTeam(partnerIds: string[]): Promise<string> {
  const id = newId('tm');
  await prisma().team.create({ data: { id, name: 'Team' } });
  await prisma().partner.updateMany({ where: { id: { in: partnerIds } }, data: { teamId: id } });
  return id;
}
