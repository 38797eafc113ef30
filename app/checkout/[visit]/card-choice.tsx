'use client';

import { useState } from 'react';
import { nameCard } from '@/server/payments/checkout/card-name';
import type { Language } from '@/texts/languages';
import { joinSentences } from '@/texts/say';
import { ArmedButton } from '../../_ui/armed-button';
import { Button } from '../../_ui/button';
import { type ShownCard, writeExpiry } from '../../_ui/saved-card';
import { SelectField } from '../../_ui/select-field';
import type { Messages } from '../messages';

type Props = {
  say: Messages;
  language: Language;
  /** At least one. */
  cards: ShownCard[];
  card: ShownCard;
  onChoose(cardId: string): void;
  onRemove(card: ShownCard): Promise<void>;
};

/** The saved card to pay with. It can be removed here too. */
export function CardChoice({ say, language, cards, card, onChoose, onRemove }: Props) {
  const [isRemoving, setRemoving] = useState(false);
  const [isBusy, setBusy] = useState(false);

  async function remove() {
    setBusy(true);
    await onRemove(card);
    setBusy(false);
    setRemoving(false);
  }

  if (isRemoving)
    return (
      <div
        role="alertdialog"
        aria-label={say.cardRemove}
        className="mb-4 rounded-xl border border-line px-4 py-3.5"
      >
        <p className="text-sm">
          {joinSentences(language, [
            say.cardRemoveText({ card: nameCard(card) }),
            card.endsTopUp && say.cardRemoveTopUp,
          ])}
        </p>
        <div className="mt-3 grid grid-cols-2 gap-2">
          <Button look="secondary" onClick={() => setRemoving(false)}>
            {say.cardKeep}
          </Button>
          <ArmedButton look="danger" busy={isBusy} onClick={remove}>
            {say.cardRemove}
          </ArmedButton>
        </div>
      </div>
    );
  return (
    <div className="mb-4 flex items-end gap-2">
      {cards.length > 1 ? (
        <SelectField
          label={say.card}
          className="min-w-0 flex-1"
          options={cards.map((option) => ({
            value: option.id,
            label: `${nameCard(option)}, ${writeExpiry(option)}`,
          }))}
          value={card.id}
          onChange={(event) => onChoose(event.target.value)}
        />
      ) : (
        <p className="min-w-0 flex-1 self-center text-sm text-muted tabular-nums">
          {say.cardExpires({ card: nameCard(card), date: writeExpiry(card) })}
        </p>
      )}
      <Button
        look="quiet"
        size="small"
        aria-label={say.cardRemoveNamed({ card: nameCard(card) })}
        onClick={() => setRemoving(true)}
      >
        {say.cardRemove}
      </Button>
    </div>
  );
}
