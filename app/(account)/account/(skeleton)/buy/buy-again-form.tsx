'use client';

import { useState } from 'react';
import { formatMoney } from '@/app/_ui/amount';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Button } from '@/app/_ui/button';
import { PageLink } from '@/app/_ui/page-link';
import type { ShownCard } from '@/app/_ui/saved-card';
import { nameCard } from '@/server/payments/checkout/card-name';
import { CardField } from './card-field';
import { CardOutcome } from './card-outcome';
import { useCardPayment } from './use-card-payment';

type Props = {
  /** At least one. The first is chosen. */
  cards: ShownCard[];
  amount: number;
  currency: 'usd' | 'eur';
  /** Names this purchase. However often and in however many tabs it is clicked, it is paid once. */
  buttonId: string;
};

/** Repeats a purchase: the button asks before it charges, because nobody came to this page to pay. */
export function BuyAgainForm({ cards, amount, currency, buttonId }: Props) {
  const { pay, bought, failure, isBusy, clearFailure } = useCardPayment();
  const [cardId, setCardId] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const card = cards.find(({ id }) => id === cardId) ?? cards[0];
  if (card === undefined) return null;
  const money = formatMoney(amount, currency, 'en');
  const charge = () => pay({ amount, currency, cardId: card.id, buttonId }).finally(() => setAsking(false));
  return (
    <div>
      <CardOutcome bought={bought} failure={failure}>
        <PageLink href="/account/buy" className="font-medium underline underline-offset-2">
          Pay another way
        </PageLink>
      </CardOutcome>
      {isAsking ? (
        <div role="alertdialog" aria-label={`Pay ${money}?`}>
          <p className="mb-3">
            Pay {money} with {nameCard(card)}?
          </p>
          <div className="flex flex-wrap gap-2">
            <ArmedButton busy={isBusy} onClick={() => void charge()}>
              Pay {money}
            </ArmedButton>
            <Button look="secondary" onClick={() => setAsking(false)}>
              Cancel
            </Button>
          </div>
        </div>
      ) : (
        <div className="flex flex-wrap items-end gap-3">
          <CardField
            cards={cards}
            card={card}
            className="min-w-44 max-sm:w-full"
            onChoose={(id) => {
              setCardId(id);
              clearFailure();
            }}
          />
          <Button
            onClick={() => setAsking(true)}
            className="h-auto! min-h-11 py-2 whitespace-normal! max-sm:w-full sm:min-h-10"
          >
            Buy again: {money} with {nameCard(card)}
          </Button>
        </div>
      )}
    </div>
  );
}
