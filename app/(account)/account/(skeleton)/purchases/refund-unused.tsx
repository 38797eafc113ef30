'use client';

import { useRef } from 'react';
import { formatMoney } from '@/app/_ui/amount';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { Time } from '@/app/_ui/time';
import { refundUnused } from './actions';

type Props = { purchaseId: string; amount: number; currency: string; appName: string; at: string };

/** The next refund that the user can make. */
export function RefundUnused({ purchaseId, amount, currency, appName, at }: Props) {
  const money = formatMoney(amount, currency, 'en', { inColumn: true });
  // Until there is an answer, what is sent again is the same refund.
  const refundId = useRef<string>(undefined);

  async function refund() {
    refundId.current ??= crypto.randomUUID();
    const answer = await refundUnused({ purchaseId, refundId: refundId.current });
    refundId.current = undefined;
    return answer;
  }

  return (
    <ConfirmButton
      label={`Refund ${money}`}
      title={`Refund ${money}?`}
      consequence={
        <>
          This is what is left of your purchase in {appName} of <Time at={at} withClock={false} />. The money
          goes back to the payment method, and the credits, with bonus credits in proportion, are removed now.
        </>
      }
      action={refund}
    />
  );
}
