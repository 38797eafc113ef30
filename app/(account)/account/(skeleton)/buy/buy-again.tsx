import { Suspense } from 'react';
import { Section } from '@/app/_ui/section';
import { toMajorUnits } from '@/server/payments/checkout/amounts';
import { findRepeatablePurchase, type RepeatablePurchase } from '@/server/payments/checkout/buy-again';
import { listUsableCards } from '@/server/payments/checkout/saved-cards';
import { inCredits } from '../../show-credits';
import { BuyAgainForm } from './buy-again-form';

/** Repeats the last purchase with a saved card. Nothing for a user who has neither. */
export async function BuyAgain({ userId }: { userId: string }) {
  const purchase = await findRepeatablePurchase(userId);
  if (purchase === null) return null;
  // The cards are read at the processor, so the rest of the page does not wait for them.
  return (
    <Suspense fallback={<Placeholder />}>
      <WithCards userId={userId} purchase={purchase} />
    </Suspense>
  );
}

async function WithCards({ userId, purchase }: { userId: string; purchase: RepeatablePurchase }) {
  const cards = await listUsableCards(userId).catch(() => []);
  if (cards.length === 0) return null;
  const { amountMinor, currency, credits, buttonId } = purchase;
  return (
    <Section title="Buy again" description={`${inCredits(credits)}, not tied to an app.`}>
      <BuyAgainForm
        cards={cards}
        amount={toMajorUnits(amountMinor)}
        currency={currency}
        buttonId={buttonId}
      />
    </Section>
  );
}

function Placeholder() {
  return <div className="mb-6 h-[9.5rem] animate-pulse rounded-xl bg-sunken" aria-hidden="true" />;
}
