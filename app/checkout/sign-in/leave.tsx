'use client';

import { useEffect, useRef } from 'react';
import { goToIssuer } from '@/app/_session/issuer-buttons';

/** Leaves for the issuer as soon as the page is there. */
export function Leave({ provider, start }: { provider: string; start: string }) {
  const hasLeft = useRef(false);
  useEffect(() => {
    if (hasLeft.current) return;
    hasLeft.current = true;
    void goToIssuer(provider, start);
  }, [provider, start]);
  return null;
}
