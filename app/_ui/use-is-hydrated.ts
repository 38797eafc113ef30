'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** False in the server's HTML, and until the scripts of the page have loaded. */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
