'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useAction } from '@/app/_ui/use-action';
import { payWithCard } from './actions';

type Order = Parameters<typeof payWithCard>[0];

export type Bought = { text: string; link: { href: string; label: string } };

/** Pays with a saved card. The outcome is shown in place, unless the bank asks the user to confirm on its own page. */
export function useCardPayment() {
  const router = useRouter();
  const [bought, setBought] = useState<Bought | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(payWithCard);

  async function pay(order: Order): Promise<void> {
    const result = await run(order);
    const outcome = result.ok ? result.value : undefined;
    if (outcome && 'url' in outcome) {
      setLeaving(true);
      return window.location.assign(outcome.url);
    }
    setBought(outcome ?? null);
    // A new balance, and a button for the next purchase.
    if (result.ok || !result.stepUp) router.refresh();
  }

  return { pay, bought, failure, isBusy: isRunning || isLeaving, clearFailure };
}
