import type { Metadata } from 'next';
import { settings } from '@/server/env';
import { findStopOfLink } from '@/server/identity/stop-by-link';
import { DeadLink } from '../dead-link';
import { Sheet } from '../sheet';
import { StopAll } from './stop-all';

export const metadata: Metadata = { title: 'Stop all apps', robots: 'noindex', referrer: 'no-referrer' };

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
        <StopAll token={token} isStopped={stop.isStopped} />
      )}
    </Sheet>
  );
}
