'use client';

import { useState } from 'react';
import { TextField } from '@/app/_ui/text-field';
import { ReasonButton } from '../reason-button';
import { recordPayment } from './actions';

type Props = { payoutId: string; describe: string; dollars: string };
type Entry = Omit<Parameters<typeof recordPayment>[0], 'payoutId' | 'reason'>;

const FIELDS = ['reference', 'currency', 'rate', 'amount', 'date'] as const;

/** Records a payment that the operator has made outside the service. */
export function SentButton({ payoutId, describe, dollars }: Props) {
  const empty: Entry = { reference: '', currency: 'USD', rate: '1', amount: dollars, date: '' };
  const [entry, setEntry] = useState(empty);
  const field = (name: (typeof FIELDS)[number], label: string, hint: string, errorAt: ErrorAt) => (
    <TextField
      label={label}
      hint={hint}
      error={errorAt(name)}
      value={entry[name]}
      inputMode={name === 'rate' || name === 'amount' ? 'decimal' : 'text'}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setEntry({ ...entry, [name]: event.target.value })}
    />
  );
  return (
    <ReasonButton
      label="Record as sent"
      title="Record this payout as sent"
      consequence={`Once you have paid $${dollars} outside the service. The team sees the reference, the amount and the rate.`}
      describe={describe}
      look="primary"
      onOpen={() => setEntry(empty)}
      action={(reason) => recordPayment({ payoutId, reason, ...entry })}
      field={{
        name: FIELDS,
        render: (error, at) => {
          const errorAt: ErrorAt = (name) => (at === name ? error : undefined);
          return (
            <>
              {field('reference', 'Reference', 'What your bank calls the payment', errorAt)}
              <div className="grid grid-cols-2 gap-3">
                {field('currency', 'Currency', 'Three letters', errorAt)}
                {field('rate', 'Rate', 'Units per USD', errorAt)}
              </div>
              {field('amount', 'Amount paid', 'In this currency', errorAt)}
              {field('date', 'Date', 'Such as 2026-12-01; empty for today (UTC)', errorAt)}
            </>
          );
        },
      }}
    />
  );
}

type ErrorAt = (name: string) => string | undefined;
