import type { Metadata } from 'next';
import { settings } from '@/server/base/env';
import { findStopOfLink } from '@/server/people/stop-by-link';
import { DeadLink } from '../dead-link';
import { Sheet } from '../sheet';
import { StopSpending } from './stop-spending';

export const metadata: Metadata = { title: 'Stop apps', robots: 'noindex', referrer: 'no-referrer' };

type Props = { searchParams: Promise<{ token?: string | string[] }> };

/** Where the link in mails about spending leads. Opening it changes nothing: mail scanners open every link. */
export default async function StopPage({ searchParams }: Props) {
  const { token } = await searchParams;
  const stop = typeof token === 'string' ? await findStopOfLink(token) : null;
  return (
    <Sheet brand={settings().BRAND_NAME}>
      {stop === null || typeof token !== 'string' ? (
        <DeadLink task="stop apps" href="/account/limits" />
      ) : (
        <StopSpending token={token} stop={stop} />
      )}
    </Sheet>
  );
}
