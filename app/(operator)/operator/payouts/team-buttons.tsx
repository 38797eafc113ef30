'use client';

import { useState } from 'react';
import { TextField } from '@/app/_ui/text-field';
import { ReasonButton } from '../reason-button';
import { decideTeam, saveTerms } from './actions';

export function TeamHoldButton({ teamId, name, isHeld }: { teamId: string; name: string; isHeld: boolean }) {
  return isHeld ? (
    <ReasonButton
      label="Release payouts"
      title={`Release the payouts of ${name}?`}
      consequence="They are planned and sent again. Payouts that are held themselves stay held."
      look="primary"
      action={(reason) => decideTeam({ teamId, what: 'release', reason })}
    />
  ) : (
    <ReasonButton
      label="Hold payouts"
      title={`Hold the payouts of ${name}?`}
      consequence="None is planned or sent until you release them. Earnings go on. The team sees the reason."
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
      consequence="They apply from the next payout that is planned."
      onOpen={() => setTerms(saved)}
      action={(reason) => saveTerms({ teamId, ...terms, reason })}
      field={{
        name: ['minimum', 'reserve'],
        render: (error, at) => (
          <>
            {field(
              'minimum',
              'Minimum',
              `Smaller payouts wait. Empty for the default, $${defaultMinimum}`,
              at === 'minimum' ? error : undefined,
            )}
            {field(
              'reserve',
              'Reserve',
              'Stays unpaid, for disputes to come',
              at === 'reserve' ? error : undefined,
            )}
          </>
        ),
      }}
    />
  );
}
