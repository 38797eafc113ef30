'use client';

import { useEffect, useRef } from 'react';

/** Calls back when the user returns from another tab or window, where they may have changed something. */
export function useReturn(onReturn: () => void): void {
  const latest = useRef(onReturn);
  latest.current = onReturn;
  useEffect(() => {
    const report = () => document.visibilityState === 'visible' && latest.current();
    window.addEventListener('focus', report);
    document.addEventListener('visibilitychange', report);
    return () => {
      window.removeEventListener('focus', report);
      document.removeEventListener('visibilitychange', report);
    };
  }, []);
}
