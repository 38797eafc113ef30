import { notFound } from 'next/navigation';
import { cache } from 'react';
import { requireSession } from '@/app/_session/session';
import { findOwnedPartner } from '@/server/partners/owner';
import type { Partner } from '@/server/partners/partner';

export type AppParams = { params: Promise<{ app: string }> };

/** The app in the URL, for its owner. Everyone else gets a 404. */
export async function requireOwnedApp({ params }: AppParams): Promise<Partner> {
  return findForVisitor((await params).app);
}

const findForVisitor = cache(async (partnerId: string): Promise<Partner> => {
  const { email } = await requireSession();
  return (await findOwnedPartner(email, partnerId)) ?? notFound();
});
