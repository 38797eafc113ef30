'use client';

import { type FormEvent, useState } from 'react';
import { formatCredits } from '@/app/_ui/amount';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { startPlayground } from './actions';

type Props = { balance: number; appPath: string; onStart: (userKey: string) => void };

const SUGGESTED = '100';

/** Nothing is spent before the user says how much may be. */
export function StartForm({ balance, appPath, onStart }: Props) {
  const isOpen = balance > 0;
  const [credits, setCredits] = useState(SUGGESTED);
  const { run, isRunning, failure, clearFailure } = useAction(startPlayground);
  const start = async (event: FormEvent) => {
    event.preventDefault();
    const result = await run({ credits: isOpen ? null : credits });
    if (result.ok && result.value) onStart(result.value.userKey);
  };
  return (
    <Section title={isOpen ? 'Continue' : 'Start'}>
      <form onSubmit={start} noValidate className="max-w-md">
        {isOpen ? (
          <p className="text-sm text-muted">
            The playground may spend {formatCredits(balance, 'en')} of your credits. Change that in{' '}
            <PageLink href={appPath} className="underline">
              your apps
            </PageLink>
            .
          </p>
        ) : (
          <TextField
            label="Credits it can spend"
            name="credits"
            inputMode="decimal"
            autoComplete="off"
            value={credits}
            hint="100 credits are worth $1. You can change this at any time."
            error={failure?.field === 'credits' ? failure.message : undefined}
            onChange={(event) => {
              setCredits(event.target.value);
              clearFailure();
            }}
          />
        )}
        {failure && failure.field !== 'credits' && (
          <div className="mt-4">
            <Notice kind="danger">{failure.message}</Notice>
          </div>
        )}
        <ArmedButton type="submit" busy={isRunning} className="mt-5">
          {isOpen ? 'Continue' : 'Start'}
        </ArmedButton>
      </form>
    </Section>
  );
}
