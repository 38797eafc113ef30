'use client';

import { useEffect, useState } from 'react';
import type { Language } from '@/texts/languages';
import { countCredits } from '../../_ui/amount';
import { Button } from '../../_ui/button';
import { Spinner } from '../../_ui/spinner';
import type { Messages } from '../messages';
import { CheckMark } from '../panel';
import { StepTitle } from '../step-title';
import type { Api, PaymentStatus, VisitState } from './api';
import { usePaymentStatus } from './use-payment-status';

const POLL_MS = 1000;
const POLL_BANK_MS = 5000;
const SLOW_MS = 30_000;

type WaitingProps = { say: Messages; api: Api; sessionId: string; onFinal(status: PaymentStatus): void };

/** The form has been submitted, and our server confirms the credits. */
export function ConfirmingStep({
  say,
  api,
  sessionId,
  onFinal,
  onProcessing,
}: WaitingProps & { onProcessing(): void }) {
  const [isSlow, setSlow] = useState(false);
  usePaymentStatus(api, sessionId, POLL_MS, { onFinal, onProcessing });
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" className="grid flex-1 place-content-center justify-items-center gap-4 text-center">
      <span className="text-accent">
        <Spinner size={32} />
      </span>
      <StepTitle>{say.confirming}</StepTitle>
      <p className="min-h-12 max-w-80 text-muted">{isSlow && say.confirmingSlow}</p>
    </div>
  );
}

/** The bank decides later. The user can close the window, or wait for the outcome. */
export function ProcessingStep({
  say,
  api,
  sessionId,
  onFinal,
  onClose,
}: WaitingProps & { onClose(): void }) {
  usePaymentStatus(api, sessionId, POLL_BANK_MS, { onFinal });
  return (
    <div className="animate-appear flex flex-1 flex-col">
      <div role="status" className="grid flex-1 place-content-center justify-items-center gap-2 text-center">
        <span className="mb-3 text-accent">
          <Spinner size={32} />
        </span>
        <StepTitle>{say.processingTitle}</StepTitle>
        <p className="max-w-80 text-muted">{say.processingText}</p>
      </div>
      <Button size="large" className="w-full" onClick={onClose}>
        {say.close}
      </Button>
    </div>
  );
}

type AllowedProps = { say: Messages; language: Language; visit: VisitState; granted: number; onDone(): void };

export function AllowedStep({ say, language, visit, granted, onDone }: AllowedProps) {
  return (
    <div className="animate-appear flex flex-1 flex-col">
      <div className="grid flex-1 place-content-center justify-items-center gap-2 text-center">
        <div className="mb-3">
          <CheckMark />
        </div>
        <StepTitle>{say.allowedTitle}</StepTitle>
        <p className="max-w-80 text-muted">
          {say.allowedText({ app: visit.app_name, count: countCredits(granted, language) })}
        </p>
      </div>
      <Button size="large" className="w-full" onClick={onDone}>
        {say.done}
      </Button>
    </div>
  );
}
