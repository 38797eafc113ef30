'use client';

import { usePathname, useRouter } from 'next/navigation';
import { useState } from 'react';
import { formatMoney } from '@/app/_ui/amount';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import { type ShownCard, writeExpiry } from '@/app/_ui/saved-card';
import { SelectField } from '@/app/_ui/select-field';
import { useAction } from '@/app/_ui/use-action';
import { nameCard } from '@/server/payments/checkout/card-name';
import { buyAgain } from './actions';

type Props = {
  /** At least one. The first is chosen. */
  cards: ShownCard[];
  amount: number;
  currency: 'usd' | 'eur';
  /** Names this purchase. However often and in however many tabs it is clicked, it is paid once. */
  buttonId: string;
};

type Bought = { text: string; link: { href: string; label: string } };

const LINK = 'font-medium underline underline-offset-2';

/** One click pays. The outcome is shown in place, unless the bank asks the user to confirm on its own page. */
export function BuyAgainForm(props: Props) {
  const { cards } = props;
  const hasForm = usePathname() === '/account/buy';
  const { card, choose, bought, failure, isBusy, buy, label } = useBuyAgain(props);
  return (
    <div>
      {bought && (
        <div className="mb-4">
          <Notice kind="positive">
            {bought.text}{' '}
            <PageLink href={bought.link.href} className={LINK}>
              {bought.link.label}
            </PageLink>
          </Notice>
        </div>
      )}
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">
            {failure.message}{' '}
            {hasForm ? (
              'You can also pay with the form.'
            ) : (
              <PageLink href="/account/buy" className={LINK}>
                Pay with the form
              </PageLink>
            )}
          </Notice>
        </div>
      )}
      <div className="flex flex-wrap items-end gap-3">
        {cards.length > 1 && (
          <SelectField
            label="Card"
            className="min-w-44 max-sm:w-full"
            options={cards.map((option) => ({
              value: option.id,
              label: `${nameCard(option)}, ${writeExpiry(option)}`,
            }))}
            value={card.id}
            onChange={(event) => choose(event.target.value)}
          />
        )}
        <ArmedButton
          busy={isBusy}
          onClick={buy}
          className="h-auto! min-h-11 py-2 whitespace-normal! max-sm:w-full sm:min-h-10"
        >
          {label}
        </ArmedButton>
      </div>
    </div>
  );
}

function useBuyAgain({ cards, amount, currency, buttonId }: Props) {
  const router = useRouter();
  const [cardId, setCardId] = useState(cards[0]?.id ?? '');
  const [bought, setBought] = useState<Bought | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(buyAgain);
  const card = cards.find(({ id }) => id === cardId) ?? cards[0];
  if (card === undefined) throw new Error('buy again needs a card');

  async function buy() {
    const result = await run({ amount, currency, cardId: card?.id ?? '', buttonId });
    const outcome = result.ok ? result.value : undefined;
    if (outcome && 'url' in outcome) {
      setLeaving(true);
      return window.location.assign(outcome.url);
    }
    setBought(outcome ?? null);
    // A new balance, and a button for the next purchase.
    if (result.ok || !result.stepUp) router.refresh();
  }

  function choose(id: string) {
    setCardId(id);
    clearFailure();
  }

  const label = `Buy again: ${formatMoney(amount, currency, 'en')} with ${nameCard(card)}`;
  return { card, choose, bought, failure, isBusy: isRunning || isLeaving, buy, label };
}
