'use client';

import { useEffect, useRef } from 'react';
import type { Api, PaymentStatus } from './api';

type Hear = {
  onFinal(status: PaymentStatus): void;
  onProcessing?: (() => void) | undefined;
  /** The last try failed, for another reason than the one before it; the payment is still open. */
  onDeclined?: (() => void) | undefined;
};

/** Asks how a payment stands, again and again, until it is final. A lost answer is asked for again. */
export function usePaymentStatus(api: Api, sessionId: string, everyMs: number, hear: Hear): void {
  const heard = useRef(hear);
  heard.current = hear;
  useEffect(() => {
    let current = true;
    let timer: ReturnType<typeof setTimeout>;
    let known: string | undefined;
    async function ask() {
      const answer = await api.readPayment(sessionId).catch(() => null);
      if (!current) return;
      if (answer && !['open', 'processing'].includes(answer.status)) return heard.current.onFinal(answer);
      timer = setTimeout(ask, everyMs);
      if (answer?.status === 'processing') heard.current.onProcessing?.();
      if (answer?.failure !== undefined && answer.failure !== known) heard.current.onDeclined?.();
      known = answer?.failure ?? known;
    }
    timer = setTimeout(ask, everyMs / 4);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [api, sessionId, everyMs]);
}
