'use client';

import { useEffect, useRef } from 'react';
import { isFramed } from '../connect';

/**
 * While on, the browser asks for confirmation before it closes a checkout window. An overlay is closed by the
 * page around it, which sends us a message first. Returns a function that turns the prompt off.
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
