'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

const POLL_INTERVAL_MS = 3_000;

/**
 * Refreshes the page when its window regains focus, so that changes made elsewhere show immediately,
 * and periodically while `isWatching`, for users who keep both windows in view.
 */
export function RefreshOnReturn({ isWatching }: { isWatching: boolean }) {
  const router = useRouter();
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') router.refresh();
    };
    document.addEventListener('visibilitychange', refresh);
    const timer = isWatching ? setInterval(refresh, POLL_INTERVAL_MS) : undefined;
    return () => {
      document.removeEventListener('visibilitychange', refresh);
      clearInterval(timer);
    };
  }, [router, isWatching]);
  return null;
}
