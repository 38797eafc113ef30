'use client';

import type { FormEvent, ReactNode } from 'react';
import type { ActionResult } from '@/app/_ui/action-result';
import { Button, type ButtonLook } from '@/app/_ui/button';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { useAction } from '@/app/_ui/use-action';
import { disconnectPayoutAccount, openPayoutAccount, setUpPayouts } from './actions';
import type { CountryOption } from './payee-form';

type Opened = ActionResult<{ url: string }>;

function useStripePage<Input extends unknown[]>(action: (...input: Input) => Promise<Opened>) {
  const { run, isRunning, failure } = useAction(action);
  const open = async (...input: Input) => {
    const opened = await run(...input);
    if (opened.ok && opened.value) window.location.assign(opened.value.url);
  };
  return { open, isRunning, failure };
}

/** The first step: an account keeps its country. */
export function StartForm({
  partnerId,
  country,
  countries,
}: {
  partnerId: string;
  country: string;
  countries: CountryOption[];
}) {
  const { open, isRunning, failure } = useStripePage(setUpPayouts);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    return open({ partnerId, country: String(new FormData(event.currentTarget).get('country') ?? '') });
  };
  return (
    <form onSubmit={submit} noValidate className="fields max-w-[520px]">
      {failure && failure.field === undefined && <Notice kind="danger">{failure.message}</Notice>}
      <SelectField
        label="Country of your company or home"
        name="country"
        defaultValue={country}
        options={[{ value: '', label: 'Choose…' }, ...countries]}
        hint="To change it later, set up a new account"
        error={failure?.field === 'country' ? failure.message : undefined}
        large
      />
      <div>
        <Button type="submit" busy={isRunning}>
          Set up payouts with Stripe
        </Button>
      </div>
    </form>
  );
}

type Props = ButtonLook & { partnerId: string };

/** To the page at Stripe that asks for what is missing. */
export function ContinueButton({
  partnerId,
  country,
  label,
  ...look
}: Props & { country: string; label: string }) {
  const { open, isRunning, failure } = useStripePage(setUpPayouts);
  return (
    <ButtonWithFailure failure={failure?.message}>
      <Button {...look} busy={isRunning} onClick={() => open({ partnerId, country })}>
        {label}
      </Button>
    </ButtonWithFailure>
  );
}

export function DashboardButton({ partnerId, ...look }: Props) {
  const { open, isRunning, failure } = useStripePage(openPayoutAccount);
  return (
    <ButtonWithFailure failure={failure?.message}>
      <Button look="secondary" {...look} busy={isRunning} onClick={() => open({ partnerId })}>
        Open Stripe account
      </Button>
    </ButtonWithFailure>
  );
}

export function DisconnectButton({ partnerId }: { partnerId: string }) {
  return (
    <ConfirmButton
      label="Disconnect"
      title="Disconnect this payout account?"
      consequence="Payouts that have not been sent fail, and their amounts become payable again. You can then set up a new account; we review the first payout to it. Earlier payouts stay in your Stripe account."
      action={disconnectPayoutAccount.bind(null, { partnerId })}
      size="medium"
    />
  );
}

function ButtonWithFailure({ failure, children }: { failure: string | undefined; children: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-2">
      {children}
      {failure && <Notice kind="danger">{failure}</Notice>}
    </div>
  );
}
