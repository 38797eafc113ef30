'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { Spinner } from '@/app/_ui/spinner';

const EVERY_MS = 2_000;
const MOST_TIMES = 30;

/** Reads the page anew until the payment is decided; after a minute it says where to look later. */
export function AskAgain() {
  const router = useRouter();
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (asked >= MOST_TIMES) return;
    const timer = setTimeout(() => {
      router.refresh();
      setAsked(asked + 1);
    }, EVERY_MS);
    return () => clearTimeout(timer);
  }, [asked, router]);
  if (asked >= MOST_TIMES)
    return 'This takes longer than usual. The credits appear in your purchases once it is confirmed; you can leave this page.';
  return (
    <span className="flex items-center justify-center gap-2">
      <Spinner size={16} /> You can leave this page; the credits come all the same.
    </span>
  );
}
