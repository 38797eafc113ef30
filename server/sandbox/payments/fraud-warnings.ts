import type Stripe from 'stripe';
import { newStripeId } from './objects';
import type { Emulator } from './sessions';
import { unixSeconds } from './time';

/** The card network believes that the payment was fraud; no money has moved yet. */
export async function openFraudWarning(
  { records, webhooks }: Emulator,
  charge: Stripe.Charge,
): Promise<void> {
  const warning: Stripe.Radar.EarlyFraudWarning = {
    id: newStripeId('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: charge.id,
    created: unixSeconds(),
    fraud_type: 'made_with_stolen_card',
    livemode: false,
    ...(charge.payment_intent !== null && { payment_intent: charge.payment_intent }),
  };
  await records.save('early_fraud_warning', warning.id, warning);
  await webhooks.emit('radar.early_fraud_warning.created', warning);
}

/** Once the money is given back there is nothing left to do. */
export async function settleFraudWarnings(
  { records, webhooks }: Emulator,
  charge: Stripe.Charge,
): Promise<void> {
  const open = records
    .all('early_fraud_warning')
    .filter((known) => known.charge === charge.id && known.actionable);
  for (const known of open) {
    const warning = { ...known, actionable: false };
    await records.save('early_fraud_warning', warning.id, warning);
    await webhooks.emit('radar.early_fraud_warning.updated', warning);
  }
}
