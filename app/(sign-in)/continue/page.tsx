import { redirect } from 'next/navigation';
import { readPageTexts, titled } from '@/app/_session/page-texts';
import { requireSession } from '@/app/_session/session';
import { settings } from '@/server/base/env';
import { findActionPlace } from '@/server/people/open-action-link';
import { DeadLink } from '../dead-link';
import { Sheet } from '../sheet';
import { OtherAccount } from './other-account';

export const generateMetadata = titled('continue');

type Props = { searchParams: Promise<{ token?: string | string[] }> };

/** Where the address in a 402 leads: to the page of the account that resolves it. Opening it changes nothing. */
export default async function ContinuePage({ searchParams }: Props) {
  const { userId, email } = await requireSession();
  const { token = '' } = await searchParams;
  const place = typeof token === 'string' ? await findActionPlace(token, userId) : null;
  if (place !== null && place !== 'other_account') redirect(place.path);
  return (
    <Sheet brand={settings().BRAND_NAME}>
      {place === null ? (
        <DeadLink task="continue" href="/account" />
      ) : (
        <OtherAccount texts={await readPageTexts('continue')} email={email} />
      )}
    </Sheet>
  );
}
