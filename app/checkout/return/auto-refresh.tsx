'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

const FIRST_MS = 1500;
const MAX_REFRESHES = 20;

/** Refreshes the page until the outcome is known, less and less often: a bank may take days. */
export function AutoRefresh() {
  const router = useRouter();
  useEffect(() => {
    let refreshes = 0;
    let timer: ReturnType<typeof setTimeout>;
    function refresh() {
      router.refresh();
      refreshes += 1;
      if (refreshes < MAX_REFRESHES) timer = setTimeout(refresh, FIRST_MS * (1 + refreshes / 2));
    }
    timer = setTimeout(refresh, FIRST_MS);
    return () => clearTimeout(timer);
  }, [router]);
  return null;
}
