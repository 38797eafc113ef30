'use client';

import Link from 'next/link';
import { type ComponentProps, useState } from 'react';

/**
 * A link among many, of a menu or a table: its page is asked for when somebody is about to follow it.
 * Else each link in sight would be a request to the server, at every view.
 */
export function PageLink(props: ComponentProps<typeof Link>) {
  const [isMeant, setMeant] = useState(false);
  const mean = () => setMeant(true);
  return (
    <Link
      onPointerEnter={mean}
      onTouchStart={mean}
      onFocus={mean}
      {...props}
      prefetch={isMeant ? null : false}
    />
  );
}
