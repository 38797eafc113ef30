'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

const FIRST_MS = 1500;
const MOST_LOOKS = 20;

/** Renders the page anew until it has the news, ever more slowly; a bank may take days. */
export function LookAgain() {
  const router = useRouter();
  useEffect(() => {
    let looks = 0;
    let timer: ReturnType<typeof setTimeout>;
    function look() {
      router.refresh();
      looks += 1;
      if (looks < MOST_LOOKS) timer = setTimeout(look, FIRST_MS * (1 + looks / 2));
    }
    timer = setTimeout(look, FIRST_MS);
    return () => clearTimeout(timer);
  }, [router]);
  return null;
}
