'use client';

import { useEffect, useRef } from 'react';
import { isFramed } from '../connect';

/**
 * While it is on, the browser asks before a window of the checkout goes. An overlay is closed by
 * the page around it, which asks us. Returns how to go without being asked.
 */
export function useCloseGuard(isOn: boolean): () => void {
  const isReleased = useRef(false);
  useEffect(() => {
    if (!isOn || isFramed()) return;
    isReleased.current = false;
    const ask = (event: BeforeUnloadEvent) => {
      if (!isReleased.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOn]);
  return () => {
    isReleased.current = true;
  };
}
