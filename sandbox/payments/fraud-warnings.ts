import type { Emulator } from './emulator';
import { type Charge, type FraudWarning, newStripeId } from './objects';

/** The card network suspects fraud; no money has moved yet. */
export async function openFraudWarning({ records, webhooks }: Emulator, charge: Charge): Promise<void> {
  const warning: FraudWarning = {
    id: newStripeId('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: charge.id,
    fraud_type: 'made_with_stolen_card',
    payment_intent: charge.payment_intent,
  };
  await records.save('early_fraud_warning', warning.id, warning);
  await webhooks.emit('radar.early_fraud_warning.created', warning);
}

/** After a refund there is nothing left to act on. */
export async function settleFraudWarnings({ records, webhooks }: Emulator, charge: Charge): Promise<void> {
  const open = records
    .all('early_fraud_warning')
    .filter((known) => known.charge === charge.id && known.actionable);
  for (const known of open) {
    const warning = { ...known, actionable: false };
    await records.save('early_fraud_warning', warning.id, warning);
    await webhooks.emit('radar.early_fraud_warning.updated', warning);
  }
}
