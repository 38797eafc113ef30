'use client';

import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { ReasonField } from '../../reason-button';
import { changeCredits } from './actions';

type Props = {
  kind: 'give' | 'take';
  userRef: string;
  email: string;
  pockets: { partnerId: string | null; name: string; own: string }[];
};

const AMOUNT = /^\d{1,10}(\.\d{1,6})?$/;
const WORDS = {
  give: { label: 'Give credits', done: 'Give', to: 'to' },
  take: { label: 'Take credits', done: 'Take', to: 'from' },
} as const;

/** Two steps: what and why, then the amounts once more. */
export function CreditButton({ kind, userRef, email, pockets }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isReview, setReview] = useState(false);
  const [place, setPlace] = useState(0);
  const [credits, setCredits] = useState('');
  const [reason, setReason] = useState('');
  // One id for one opened window: sending it twice books it once.
  const [changeId, setChangeId] = useState('');
  const { run, isRunning, failure, clearFailure } = useAction(changeCredits);
  const words = WORDS[kind];
  const pocket = pockets[place];
  const isComplete = AMOUNT.test(credits.trim()) && Number(credits) > 0 && reason.trim() !== '';
  const written = isComplete ? withSeparators(credits.trim()) : '';

  const change = (open: boolean) => {
    if (isRunning) return;
    setOpen(open);
    setReview(false);
    setCredits('');
    setReason('');
    setChangeId(crypto.randomUUID());
    clearFailure();
  };
  const confirm = async () => {
    const partnerId = pocket?.partnerId ?? null;
    if ((await run({ kind, userRef, partnerId, credits: credits.trim(), reason, changeId })).ok)
      setOpen(false);
  };

  return (
    <Dialog
      title={isReview ? `${words.label}?` : words.label}
      open={isOpen}
      onOpenChange={change}
      trigger={<Button look={kind === 'give' ? 'primary' : 'secondary'}>{words.label}</Button>}
    >
      <form
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReview) void confirm();
          else if (isComplete) setReview(true);
        }}
      >
        {isReview ? (
          <dl className="mb-2 flex flex-col gap-3 text-sm">
            <Line name={words.done}>
              {written} credits, worth {worth(credits)}
            </Line>
            <Line name={kind === 'give' ? 'To' : 'From'}>{email}</Line>
            <Line name="Where">
              {pocket?.name} ({pocket?.own} credits now)
            </Line>
            <Line name="Reason">{reason}</Line>
          </dl>
        ) : (
          <>
            <SelectField
              label="Where"
              className="mb-2"
              value={String(place)}
              onChange={(event) => setPlace(Number(event.target.value))}
              options={pockets.map(({ name, own }, index) => ({
                value: String(index),
                label: `${name} (${own})`,
              }))}
            />
            <TextField
              label="Credits"
              inputMode="decimal"
              autoComplete="off"
              value={credits}
              hint={AMOUNT.test(credits.trim()) ? `worth ${worth(credits)}` : '100 credits are one dollar'}
              onChange={(event) => setCredits(event.target.value)}
            />
            <ReasonField value={reason} onChange={setReason} />
          </>
        )}
        {failure && (
          <div className="mb-1">
            <Notice kind="danger">{failure.message}</Notice>
          </div>
        )}
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button
            look="secondary"
            onClick={() => {
              clearFailure();
              if (isReview) setReview(false);
              else change(false);
            }}
          >
            {isReview ? 'Back' : 'Cancel'}
          </Button>
          <Button
            type="submit"
            look={isReview && kind === 'take' ? 'danger' : 'primary'}
            busy={isRunning}
            disabled={!isComplete}
          >
            {isReview ? `${words.done} ${written} credits` : 'Continue'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Line({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="grid grid-cols-[5rem_1fr] gap-3">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

const worth = (credits: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(
    Math.floor(Number(credits)) / 100,
  );

/** Every digit as it was typed: what is confirmed is what is booked. */
function withSeparators(credits: string): string {
  const [whole = '0', decimals] = credits.split('.');
  return `${BigInt(whole).toLocaleString('en')}${decimals === undefined ? '' : `.${decimals}`}`;
}
