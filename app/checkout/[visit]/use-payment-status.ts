'use client';

import { useEffect, useRef } from 'react';
import type { Api, PaymentStatus } from './api';

/** Asks how a payment stands, again and again, until it is final. A lost answer is asked for again. */
export function usePaymentStatus(
  api: Api,
  sessionId: string,
  everyMs: number,
  onFinal: (status: PaymentStatus) => void,
): void {
  const tell = useRef(onFinal);
  tell.current = onFinal;
  useEffect(() => {
    let current = true;
    let timer: ReturnType<typeof setTimeout>;
    async function ask() {
      const answer = await api.readPayment(sessionId).catch(() => null);
      if (!current) return;
      if (answer && !['open', 'processing'].includes(answer.status)) return tell.current(answer);
      timer = setTimeout(ask, everyMs);
    }
    timer = setTimeout(ask, everyMs / 4);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [api, sessionId, everyMs]);
}
