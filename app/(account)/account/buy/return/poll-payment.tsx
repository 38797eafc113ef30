'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { Spinner } from '@/app/_ui/spinner';

const POLL_INTERVAL_MS = 2_000;
const MAX_POLLS = 30;

/** Reloads the page until the payment is decided; after a minute, says where to look later. */
export function PollPayment() {
  const router = useRouter();
  const [polls, setPolls] = useState(0);
  useEffect(() => {
    if (polls >= MAX_POLLS) return;
    const timer = setTimeout(() => {
      router.refresh();
      setPolls(polls + 1);
    }, POLL_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [polls, router]);
  if (polls >= MAX_POLLS)
    return 'This is taking longer than usual. The credits appear in your purchases once the payment is confirmed. You can leave this page.';
  return (
    <span className="flex items-center justify-center gap-2">
      <Spinner size={16} /> You can leave this page. Your credits will be added either way.
    </span>
  );
}
