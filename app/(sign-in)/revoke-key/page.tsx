import { readPageTexts, titled } from '@/app/_session/page-texts';
import { settings } from '@/server/base/env';
import { findKeyOfLink } from '@/server/people/revoke-by-link';
import { DeadLink } from '../dead-link';
import { Sheet } from '../sheet';
import { RevokeKey } from './revoke-key';

export const generateMetadata = titled('revoke');

type Props = { searchParams: Promise<{ token?: string | string[] }> };

/** Where the link in a mail about unusual use leads. Opening it changes nothing. */
export default async function RevokeKeyPage({ searchParams }: Props) {
  const { token } = await searchParams;
  const key = typeof token === 'string' ? await findKeyOfLink(token) : null;
  return (
    <Sheet brand={settings().BRAND_NAME}>
      {key === null || typeof token !== 'string' ? (
        <DeadLink task="revoke" href="/account/apps" />
      ) : (
        <RevokeKey texts={await readPageTexts('revoke')} token={token} {...key} />
      )}
    </Sheet>
  );
}
