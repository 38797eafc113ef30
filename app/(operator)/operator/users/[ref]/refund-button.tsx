'use client';

import { useState } from 'react';
import { TextField } from '@/app/_ui/text-field';
import { Time } from '@/app/_ui/time';
import { ReasonButton } from '../../reason-button';
import { refund } from './actions';

type Purchase = {
  id: string;
  at: string;
  appName: string;
  currency: string;
  amountMinor: number;
  refundedMinor: number;
};

/** The money goes back to the card, and the credits go with it. */
export function RefundButton({ userRef, purchase }: { userRef: string; purchase: Purchase }) {
  const left = (purchase.amountMinor - purchase.refundedMinor) / 100;
  const [amount, setAmount] = useState(left.toFixed(2));
  const currency = purchase.currency === 'eur' ? 'eur' : 'usd';
  const write = (value: number) =>
    new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).format(value);
  return (
    <ReasonButton
      label="Refund"
      title="Refund this purchase?"
      onOpen={() => setAmount(left.toFixed(2))}
      describe={`${write(purchase.amountMinor / 100)} in ${purchase.appName}`}
      isDanger
      consequence={
        <>
          {write(purchase.amountMinor / 100)} in {purchase.appName},{' '}
          <Time at={purchase.at} withClock={false} />. The money goes back to the card, and the credits bought
          with it are removed. If they have been spent, the user owes them, and the next purchase there repays
          them first. This cannot be undone.
        </>
      }
      action={(reason, refundId) =>
        refund({ userRef, purchaseId: purchase.id, amount, currency, reason, refundId })
      }
      field={{
        name: 'amount',
        render: (error) => (
          <TextField
            label={`Amount in ${currency.toUpperCase()}`}
            hint={`At most ${write(left)}`}
            error={error}
            inputMode="decimal"
            value={amount}
            autoComplete="off"
            onChange={(event) => setAmount(event.target.value)}
          />
        ),
      }}
    />
  );
}
