'use client';

import { useState } from 'react';
import { TextField } from '@/app/_ui/text-field';
import { ReasonButton } from '../reason-button';
import { decideTeam, saveTerms } from './actions';

export function TeamHoldButton({ teamId, name, isHeld }: { teamId: string; name: string; isHeld: boolean }) {
  return isHeld ? (
    <ReasonButton
      label="Resume payouts"
      title={`Resume the payouts of ${name}?`}
      consequence="Payouts are planned and sent again. Payouts that were paused individually stay paused."
      look="primary"
      action={(reason) => decideTeam({ teamId, what: 'release', reason })}
    />
  ) : (
    <ReasonButton
      label="Pause payouts"
      title={`Pause the payouts of ${name}?`}
      consequence="No payouts are planned or sent until you resume them. The team keeps earning, and sees the reason."
      isDanger
      action={(reason) => decideTeam({ teamId, what: 'hold', reason })}
    />
  );
}

type TermsProps = { teamId: string; minimum: string; reserve: string; defaultMinimum: number };

/** Amounts are in USD. */
export function TermsButton({ teamId, minimum, reserve, defaultMinimum }: TermsProps) {
  const saved = { minimum, reserve };
  const [terms, setTerms] = useState(saved);
  const field = (name: 'minimum' | 'reserve', label: string, hint: string, error: string | undefined) => (
    <TextField
      label={label}
      hint={hint}
      error={error}
      inputMode="decimal"
      autoComplete="off"
      prefix="$"
      value={terms[name]}
      onChange={(event) => setTerms({ ...terms, [name]: event.target.value })}
    />
  );
  return (
    <ReasonButton
      label="Change terms"
      title="Change the payout terms"
      consequence="They apply from the next payout."
      onOpen={() => setTerms(saved)}
      action={(reason) => saveTerms({ teamId, ...terms, reason })}
      field={{
        name: ['minimum', 'reserve'],
        render: (error, at) => (
          <>
            {field(
              'minimum',
              'Minimum',
              `Smaller amounts carry over to the next month. Leave empty for the default, $${defaultMinimum}`,
              at === 'minimum' ? error : undefined,
            )}
            {field(
              'reserve',
              'Reserve',
              'Kept back for future disputes',
              at === 'reserve' ? error : undefined,
            )}
          </>
        ),
      }}
    />
  );
}
