import { CreditCard } from 'lucide-react';
import { Badge } from '@/app/_ui/badge';
import { EmptyState } from '@/app/_ui/empty-state';
import { Notice } from '@/app/_ui/notice';
import { writeExpiry } from '@/app/_ui/saved-card';
import { Section } from '@/app/_ui/section';
import { nameCard } from '@/server/payments/checkout/card-name';
import type { SavedCard } from '@/server/payments/checkout/payment-processor';
import { type CardExpiry, expiryOf, listSavedCards } from '@/server/payments/checkout/saved-cards';
import { findTopUpCardId } from '@/server/payments/checkout/top-up/auto-top-up';
import { AddCard } from './add-card';
import { RemoveCard } from './remove-card';

const ICON = <CreditCard size={18} aria-hidden="true" />;

/** The saved cards, the one used last first. */
export async function Cards({ userId }: { userId: string }) {
  const [cards, topUpCardId] = await Promise.all([
    listSavedCards(userId).catch(() => null),
    findTopUpCardId(userId),
  ]);
  return (
    <Section
      title="Saved cards"
      description="The card you used last is the default. Our payment processor keeps the numbers; we and the apps never see them."
      actions={cards !== null && cards.length > 0 && <AddCard look="secondary" />}
      flush
    >
      {cards === null ? (
        <div className="px-5 pb-5">
          <Notice kind="warning">
            Your cards cannot be shown because the payment processor does not respond. Reload the page in a
            moment.
          </Notice>
        </div>
      ) : cards.length === 0 ? (
        <EmptyState icon={ICON} title="No saved cards" action={<AddCard look="primary" />}>
          Add a card here, or save it when you pay. Then you can buy credits in one click.
        </EmptyState>
      ) : (
        <ul>
          {cards.map((card, position) => (
            <CardLine
              key={card.id}
              card={card}
              isDefault={cards.length > 1 && position === 0}
              endsTopUp={card.id === topUpCardId}
            />
          ))}
        </ul>
      )}
    </Section>
  );
}

type LineProps = {
  card: SavedCard;
  isDefault: boolean;
  /** Removing it turns auto top-up off. */
  endsTopUp: boolean;
};

function CardLine({ card, isDefault, endsTopUp }: LineProps) {
  const expiry = expiryOf(card);
  return (
    <li className="flex items-center gap-4 border-b border-line/70 px-5 py-4 last:border-0">
      <span className="grid size-10 shrink-0 place-items-center rounded-full bg-sunken text-muted max-sm:hidden">
        {ICON}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span className="whitespace-nowrap tabular-nums">{nameCard(card)}</span>
          {isDefault && expiry !== 'expired' && <Badge>Default</Badge>}
          <ExpiryBadge expiry={expiry} />
        </p>
        <p className="text-[13px] text-muted tabular-nums">
          {expiry === 'expired' ? 'Expired' : 'Expires'} {writeExpiry(card)}
        </p>
      </div>
      <RemoveCard cardId={card.id} name={nameCard(card)} endsTopUp={endsTopUp} />
    </li>
  );
}

function ExpiryBadge({ expiry }: { expiry: CardExpiry }) {
  if (expiry === 'valid') return null;
  return expiry === 'expired' ? (
    <Badge look="danger">Expired</Badge>
  ) : (
    <Badge look="warning">Expires soon</Badge>
  );
}
