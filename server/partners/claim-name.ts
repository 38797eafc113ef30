import { Prisma } from '../../prisma/client/client';
import { prisma } from '../base/db';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { checkName } from './name';
import { resemblesBrand, skeletonOf } from './skeleton';

/** Who asks for a name. Only operators may use the brand, and learn which other app has a name. */
export type Asker = 'operator' | { teamId: string | null };

export type CheckedName = { name: string; skeleton: string };

export function requireName(text: string, askedBy: Asker): CheckedName {
  const checked = checkName(text);
  if (!checked.ok) throw refuse(askedBy, checked.reason);
  const { name } = checked;
  const brand = settings().BRAND_NAME;
  if (askedBy !== 'operator' && resemblesBrand(name, brand))
    throw refuse(askedBy, `Leave out "${brand}", the name of this service, and words that look like it`);
  return { name, skeleton: skeletonOf(name) };
}

/** Runs a write that gives an app its name. The unique index decides who gets it; this explains the refusal. */
export async function takeName<Result>(
  skeleton: string,
  askedBy: Asker,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')) throw error;
    await requireFreeName(skeleton, askedBy, null);
    throw error;
  }
}

/** Refuses a name that another app has. */
export async function requireFreeName(
  skeleton: string,
  askedBy: Asker,
  partnerId: string | null,
): Promise<void> {
  const other = await prisma().partner.findUnique({ where: { nameSkeleton: skeleton } });
  if (other === null || other.id === partnerId) return;
  if (askedBy === 'operator') throw refuse(askedBy, `Too similar to "${other.name}" (${other.id})`);
  throw refuse(
    askedBy,
    other.teamId !== null && other.teamId === askedBy.teamId
      ? `You already have an app named "${other.name}"`
      : 'This name is too similar to one in use. Choose another',
  );
}

/** Owners see the reason next to the field, operators mostly on the command line. */
const refuse = (askedBy: Asker, reason: string): ApiError =>
  new ApiError('invalid_request', askedBy === 'operator' ? `name: ${reason}` : reason, { param: 'name' });
