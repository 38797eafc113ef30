'use client';

import { PageLink } from '@/app/_ui/page-link';
import { useReaderZone } from '@/app/_ui/time';

/** Once per page: the time zone of its times. */
export function ZoneNote() {
  return (
    <p className="mt-8 text-[13px] text-muted">
      Times are in{' '}
      <PageLink href="/account/settings#time-zone" className="underline">
        {useReaderZone().replaceAll('_', ' ')}
      </PageLink>
      .
    </p>
  );
}
