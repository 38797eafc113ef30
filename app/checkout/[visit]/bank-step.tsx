'use client';

import { Button, buttonClass } from '../../_ui/button';
import { Spinner } from '../../_ui/spinner';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';

type Props = { say: Messages; url: string; onBack(): void };

/** Shown while the bank's page loads, and to a user who came back from it without a result. */
export function BankStep({ say, url, onBack }: Props) {
  return (
    <section className="animate-appear flex flex-1 flex-col">
      <div role="status" className="grid flex-1 place-content-center justify-items-center gap-2 text-center">
        <span className="mb-3 text-accent">
          <Spinner size={32} />
        </span>
        <StepTitle>{say.bankTitle}</StepTitle>
        <p className="max-w-80 text-muted">{say.bankText}</p>
      </div>
      <a href={url} rel="noreferrer" className={`${buttonClass({ size: 'large' })} w-full`}>
        {say.bankOpen}
      </a>
      <Button look="quiet" className="mt-2 w-full" onClick={onBack}>
        {say.back}
      </Button>
    </section>
  );
}
