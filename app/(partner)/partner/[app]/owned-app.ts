import { notFound } from 'next/navigation';
import { cache } from 'react';
import { requireSession } from '@/app/_session/session';
import { findOwnedPartner } from '@/server/partners/owner';
import type { Partner } from '@/server/partners/partner';

export type AppParams = { params: Promise<{ app: string }> };

/** The app that the address names, for its owner; for everybody else there is nothing here. */
export async function requireOwnedApp({ params }: AppParams): Promise<Partner> {
  return findForVisitor((await params).app);
}

const findForVisitor = cache(async (partnerId: string): Promise<Partner> => {
  const { email } = await requireSession();
  return (await findOwnedPartner(email, partnerId)) ?? notFound();
});
