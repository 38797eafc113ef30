'use client';

import { type ShownCard, writeExpiry } from '@/app/_ui/saved-card';
import { SelectField } from '@/app/_ui/select-field';
import { nameCard } from '@/server/payments/checkout/card-name';

type Props = {
  cards: ShownCard[];
  card: ShownCard;
  className: string;
  onChoose(cardId: string): void;
};

/** The saved card to pay with, if there is a choice. */
export function CardField({ cards, card, className, onChoose }: Props) {
  if (cards.length < 2) return null;
  return (
    <SelectField
      label="Card"
      className={className}
      options={cards.map((option) => ({
        value: option.id,
        label: `${nameCard(option)}, ${writeExpiry(option)}`,
      }))}
      value={card.id}
      onChange={(event) => onChoose(event.target.value)}
    />
  );
}
