'use client';

import { useEffect, useRef, useState } from 'react';
import type { Language } from '@/texts/languages';
import { countCredits, formatMoney } from '../../_ui/amount';
import { Button, buttonClass } from '../../_ui/button';
import { Spinner } from '../../_ui/spinner';
import { useArmed } from '../../_ui/use-armed';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { Api, Payment, PaymentStatus, VisitState } from './api';
import { describeRate } from './purchase-amount';
import { mountStripe } from './stripe-form';
import { usePaymentStatus } from './use-payment-status';

type Props = {
  say: Messages;
  language: Language;
  api: Api;
  visit: VisitState;
  payment: Payment;
  /** The app opens the payment itself. */
  isManual: boolean;
  /** The payment is already open in another tab. */
  isOpened: boolean;
  onSubmitted(): void;
  onProcessing(): void;
  onFinal(status: PaymentStatus): void;
  onDeclined(): void;
  onBroken(): void;
  onBack(): void;
};

/** A form reports when it is done; a separate tab does not, so its payment is polled more often. */
const POLL_MS = { sandbox: 5000, stripe: 5000, hosted: 2000 };

export function PaymentStep(props: Props) {
  const { say, language, api, visit, payment, onFinal, onProcessing, onDeclined, onBack } = props;
  const { kind } = payment.payment;
  const [isDeclined, setDeclined] = useState(false);
  function reportDecline() {
    setDeclined(true);
    onDeclined();
  }
  usePaymentStatus(api, payment.session_id, POLL_MS[kind], {
    onFinal,
    // An embedded form reports its own completion.
    onProcessing: kind === 'hosted' ? onProcessing : undefined,
    // The sandbox's form reports a declined card itself.
    onDeclined: kind === 'sandbox' ? undefined : reportDecline,
  });
  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.paymentTitle}</StepTitle>
      {payment.currency === 'eur' && (
        <p className="mt-2 text-sm text-muted">
          {say.rateLocked(describeRate(payment.rate, payment.currency, language))}
        </p>
      )}
      {isDeclined && (
        <p role="status" className="mt-2 text-sm text-muted">
          {say.failedText}
        </p>
      )}
      <div className="relative mt-4 flex flex-1 flex-col">
        <Form {...props} onDeclined={reportDecline} />
        {visit.display !== 'embedded' && kind !== 'hosted' && <Shield />}
      </div>
      <div className="pt-3">
        <Button look="quiet" className="w-full" onClick={onBack}>
          {say.back}
        </Button>
      </div>
    </section>
  );
}

/**
 * In a window of ours the processor's form may offer a saved card. Clicks are kept from it until the user could
 * see it; keys reach it only after a click.
 */
function Shield() {
  return useArmed() === 'armed' ? null : <div aria-hidden="true" className="absolute -inset-2" />;
}

function Form(props: Props) {
  const form = props.payment.payment;
  switch (form.kind) {
    case 'sandbox':
      return <SandboxForm {...props} url={form.embed_url} />;
    case 'stripe':
      return (
        <StripeForm {...props} clientSecret={form.client_secret} publishableKey={form.publishable_key} />
      );
    case 'hosted':
      return <HostedForm {...props} url={form.url} />;
  }
}

const FIRST_HEIGHT = 340;
const MAXIMUM_HEIGHT = 2000;

/** The sandbox processor's form. Only messages of that frame, from that origin, are accepted. */
function SandboxForm({ say, url, onSubmitted, onDeclined }: Props & { url: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [isLoaded, setLoaded] = useState(false);
  const callbacks = useRef({ onSubmitted, onDeclined });
  callbacks.current = { onSubmitted, onDeclined };

  useEffect(() => {
    const { origin } = new URL(url);
    function onMessage(event: MessageEvent<unknown>) {
      if (event.origin !== origin || event.source !== (frame.current?.contentWindow ?? null)) return;
      const data = event.data as { type?: unknown; status?: unknown; height?: unknown } | null;
      if (data?.type !== 'sandbox-payment') return;
      setLoaded(true);
      if (typeof data.height === 'number' && data.height > 0)
        setHeight(Math.min(data.height, MAXIMUM_HEIGHT));
      if (data.status === 'complete') callbacks.current.onSubmitted();
      if (data.status === 'declined') callbacks.current.onDeclined();
    }
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, [url]);

  return (
    // Its own button stays in view at the end of the frame, next to all that is around it.
    <div className="relative -mx-1 [--form-height:max(16rem,calc(100dvh-15rem))]">
      {!isLoaded && <FormLoading say={say} />}
      <iframe
        ref={frame}
        src={url}
        title={say.paymentFrame}
        allow="payment"
        height={height}
        onLoad={() => setLoaded(true)}
        className="block max-h-(--form-height) w-full border-0"
      />
    </div>
  );
}

function StripeForm({
  say,
  clientSecret,
  publishableKey,
  onSubmitted,
  onBroken,
}: Props & { clientSecret: string; publishableKey: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const callbacks = useRef({ onSubmitted, onBroken });
  callbacks.current = { onSubmitted, onBroken };
  useEffect(() => {
    if (!place.current) return;
    return mountStripe(place.current, {
      clientSecret,
      publishableKey,
      onReady: () => setLoaded(true),
      onComplete: () => callbacks.current.onSubmitted(),
      onBroken: () => callbacks.current.onBroken(),
    });
  }, [clientSecret, publishableKey]);
  return (
    <div className="relative -mx-2 min-h-80">
      {!isLoaded && <FormLoading say={say} />}
      <div ref={place} className="relative" />
    </div>
  );
}

function FormLoading({ say }: { say: Messages }) {
  return (
    <div
      role="status"
      className="absolute inset-0 grid place-content-center justify-items-center gap-3 text-muted"
    >
      <Spinner />
      <span className="text-sm">{say.paymentLoading}</span>
    </div>
  );
}

function HostedForm({
  say,
  language,
  payment,
  url,
  isManual,
  isOpened: isOpenedAlready,
}: Props & { url: string }) {
  const [isOpened, setOpened] = useState(isManual || isOpenedAlready);
  return (
    <div className="grid flex-1 place-content-center justify-items-center gap-5 text-center">
      <p className="text-[1.75rem] leading-none font-semibold tabular-nums">
        {formatMoney(payment.amount, payment.currency, language, { inColumn: true })}
        <span className="mt-2 block text-base font-normal text-muted">
          {say.credits({ count: countCredits(payment.credits + payment.bonus_credits, language) })}
        </span>
      </p>
      <p className="max-w-72 text-muted">{isManual ? say.manualText : say.hostedText}</p>
      {!isManual && (
        <a
          href={url}
          target="_blank"
          rel="noopener"
          onClick={() => setOpened(true)}
          className={buttonClass({ size: 'large', look: isOpened ? 'secondary' : 'primary' })}
        >
          {isOpened ? say.hostedAgain : say.hostedOpen}
        </a>
      )}
      <p role="status" className="flex min-h-6 items-center gap-2 text-sm text-muted">
        {isOpened && (
          <>
            <Spinner size={16} /> {say.waiting}
          </>
        )}
      </p>
    </div>
  );
}
