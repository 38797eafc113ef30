import { readPageTexts, titled } from '@/app/_session/page-texts';
import { settings } from '@/server/base/env';
import { findSubscriptionOfLink } from '@/server/people/warnings/unsubscribe';
import { DeadLink } from '../dead-link';
import { Sheet } from '../sheet';
import { Unsubscribe } from './unsubscribe';

export const generateMetadata = titled('unsubscribe');

type Props = { searchParams: Promise<{ token?: string | string[] }> };

/** Where the link in warnings and alerts leads. Opening it changes nothing: mail scanners open every link. */
export default async function UnsubscribePage({ searchParams }: Props) {
  const { token } = await searchParams;
  const found = typeof token === 'string' ? await findSubscriptionOfLink(token) : null;
  return (
    <Sheet brand={settings().BRAND_NAME}>
      {found === null || typeof token !== 'string' ? (
        <DeadLink task="unsubscribe" href="/account/limits#mails" />
      ) : (
        <Unsubscribe texts={await readPageTexts('unsubscribe')} token={token} {...found} />
      )}
    </Sheet>
  );
}
