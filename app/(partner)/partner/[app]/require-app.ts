import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { requireSession } from '@/app/_session/session';
import { hasRight, type Right, type Role } from '@/server/partners/rights';
import { type AppOfTeam, findMembership } from '@/server/partners/teams';

export type AppParams = { params: Promise<{ app: string }> };

/**
 * The app in the URL, for the members of its team. Everyone else gets a 404, and a member without the right a page
 * that says which role has it.
 */
export async function requireApp(props: AppParams, right: Right): Promise<AppOfTeam> {
  const { app, role } = await requireMember(props);
  if (!hasRight(role, right)) redirect(`/partner/${app.id}/no-access?needs=${right}`);
  return app;
}

/** `email` and `userId` identify the member. */
export type Member = { app: AppOfTeam; role: Role; email: string; userId: string };

/** The same with the visitor's role, for pages that show some members less than others. */
export async function requireMember({ params }: AppParams): Promise<Member> {
  return findForVisitor((await params).app);
}

const findForVisitor = cache(async (partnerId: string): Promise<Member> => {
  const { email, userId } = await requireSession();
  const { partner, role } = (await findMembership(email, partnerId)) ?? notFound();
  return { app: partner, role, email, userId };
});
