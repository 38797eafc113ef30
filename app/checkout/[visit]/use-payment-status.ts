'use client';

import { useEffect, useRef } from 'react';
import type { Api, PaymentStatus } from './api';

type Listener = {
  onFinal(status: PaymentStatus): void;
  onProcessing?: (() => void) | undefined;
  /** The last attempt failed, for a different reason than the one before; the payment is still open. */
  onDeclined?: (() => void) | undefined;
};

/** Polls a payment until it is final. A failed poll is repeated. */
export function usePaymentStatus(api: Api, sessionId: string, everyMs: number, listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    let current = true;
    let timer: ReturnType<typeof setTimeout>;
    let known: string | undefined;
    async function poll() {
      const payment = await api.readPayment(sessionId).catch(() => null);
      if (!current) return;
      if (payment && !['open', 'processing'].includes(payment.status)) return latest.current.onFinal(payment);
      timer = setTimeout(poll, everyMs);
      if (payment?.status === 'processing') latest.current.onProcessing?.();
      if (payment?.failure !== undefined && payment.failure !== known) latest.current.onDeclined?.();
      known = payment?.failure ?? known;
    }
    timer = setTimeout(poll, everyMs / 4);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [api, sessionId, everyMs]);
}
