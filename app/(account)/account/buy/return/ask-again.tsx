'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { Spinner } from '@/app/_ui/spinner';

const EVERY_MS = 2_000;
const MOST_TIMES = 30;

/** Reloads the page until the payment is decided; after a minute, says where to look later. */
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
    return 'This is taking longer than usual. The credits appear in your purchases once the payment is confirmed. You can leave this page.';
  return (
    <span className="flex items-center justify-center gap-2">
      <Spinner size={16} /> You can leave this page. Your credits will be added either way.
    </span>
  );
}
