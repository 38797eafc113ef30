'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

const EVERY_MS = 3_000;

/**
 * Reads the page again when somebody comes back to it: what they did elsewhere shows at once. And
 * now and then while `isWatching`, for who has the other window beside this one.
 */
export function RefreshOnReturn({ isWatching }: { isWatching: boolean }) {
  const router = useRouter();
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') router.refresh();
    };
    document.addEventListener('visibilitychange', refresh);
    const timer = isWatching ? setInterval(refresh, EVERY_MS) : undefined;
    return () => {
      document.removeEventListener('visibilitychange', refresh);
      clearInterval(timer);
    };
  }, [router, isWatching]);
  return null;
}
