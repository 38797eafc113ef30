'use client';

import { use, useState } from 'react';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Button } from '@/app/_ui/button';
import type { ShownCard } from '@/app/_ui/saved-card';
import { nameCard } from '@/server/payments/checkout/card-name';
import { CardField } from './card-field';
import { CardOutcome } from './card-outcome';
import { useCardPayment } from './use-card-payment';

type FormButtonProps = {
  /** Null while no valid amount is chosen. */
  money: string | null;
  isBusy: boolean;
};

type Props = FormButtonProps & {
  cards: Promise<ShownCard[]>;
  /** Null, after saying why, while no valid amount is chosen. */
  takeOrder(): Omit<Parameters<ReturnType<typeof useCardPayment>['pay']>[0], 'cardId'> | null;
};

/** With a saved card, one click pays. Enter in the amount never does: it leads to the processor's page. */
export function PayButtons({ cards: given, takeOrder, ...form }: Props) {
  const cards = use(given);
  const [cardId, setCardId] = useState<string>();
  const { pay, bought, failure, isBusy, clearFailure } = useCardPayment();
  const card = cards.find(({ id }) => id === cardId) ?? cards[0];
  if (card === undefined) return <FormButton {...form} />;

  function charge(chosen: ShownCard) {
    const order = takeOrder();
    if (order !== null) void pay({ ...order, cardId: chosen.id });
  }

  return (
    <div className="mt-5">
      <CardOutcome bought={bought} failure={failure}>
        {null}
      </CardOutcome>
      <CardField
        cards={cards}
        card={card}
        className="mb-4"
        onChoose={(id) => {
          setCardId(id);
          clearFailure();
        }}
      />
      <ArmedButton
        size="large"
        busy={isBusy}
        onClick={() => charge(card)}
        className="h-auto! min-h-12 w-full py-2 whitespace-normal!"
      >
        {form.money === null ? 'Pay' : `Pay ${form.money}`} with {nameCard(card)}
      </ArmedButton>
      <Button type="submit" look="secondary" size="large" busy={form.isBusy} className="mt-2 w-full">
        Another payment method
      </Button>
    </div>
  );
}

/** Leads to the processor's page. */
export function FormButton({ money, isBusy }: FormButtonProps) {
  return (
    <Button type="submit" size="large" busy={isBusy} className="mt-5 w-full">
      {money === null ? 'Continue to payment' : `Pay ${money}`}
    </Button>
  );
}
