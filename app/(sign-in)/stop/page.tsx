import { readPageTexts, titled } from '@/app/_session/page-texts';
import { settings } from '@/server/base/env';
import { findStopOfLink } from '@/server/people/stop-by-link';
import { DeadLink } from '../dead-link';
import { Sheet } from '../sheet';
import { StopSpending } from './stop-spending';

export const generateMetadata = titled('stop');

type Props = { searchParams: Promise<{ token?: string | string[] }> };

/** Where the link in mails about spending leads. Opening it changes nothing: mail scanners open every link. */
export default async function StopPage({ searchParams }: Props) {
  const { token } = await searchParams;
  const stop = typeof token === 'string' ? await findStopOfLink(token) : null;
  return (
    <Sheet brand={settings().BRAND_NAME}>
      {stop === null || typeof token !== 'string' ? (
        <DeadLink task="stop" href="/account/limits" />
      ) : (
        <StopSpending texts={await readPageTexts('stop')} token={token} stop={stop} />
      )}
    </Sheet>
  );
}
