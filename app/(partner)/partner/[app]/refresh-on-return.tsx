'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Reads the page again when somebody comes back to it: what they did elsewhere shows at once. */
export function RefreshOnReturn() {
  const router = useRouter();
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') router.refresh();
    };
    document.addEventListener('visibilitychange', refresh);
    return () => document.removeEventListener('visibilitychange', refresh);
  }, [router]);
  return null;
}
