import { findTypicalAnswer } from '@/server/api/typical-answer';
import { creditsToJson, type Microcredits } from '@/server/base/credits';
import { writeLimitedBy } from '@/server/payments/checkout/limited-by';
import type { Device } from '@/server/payments/checkout/visit-sign-in';
import { readVisitState } from '@/server/payments/checkout/visit-state';
import type { Visit } from '@/server/payments/checkout/visits';

/** The state that the checkout page shows, in wire format. */
export async function stateBody(visit: Visit, device: Device) {
  const [state, answer] = await Promise.all([
    readVisitState(visit, device),
    findTypicalAnswer(visit.partnerId),
  ]);
  return {
    visit_id: state.visitId,
    language: state.language,
    app_name: state.appName,
    app_logo: state.appProfile.logoPath,
    app_site: state.appProfile.site,
    app_support: state.appProfile.support,
    display: state.display,
    currency: state.currency,
    signed_in: state.signedIn,
    email: state.email,
    device_email: state.deviceEmail,
    balance: toJson(state.balance),
    status: state.status,
    money: toJson(state.money),
    elsewhere: toJson(state.elsewhere),
    allowance_saved: toJson(state.allowanceSaved),
    allowance_left: toJson(state.allowanceLeft),
    limited_by: writeLimitedBy(state.limitedBy),
    limits: state.limits.map(({ scope, period, most, used, resetsAt }) => ({
      scope,
      period,
      most: creditsToJson(most),
      used: creditsToJson(used),
      resets_at: resetsAt.toISOString(),
    })),
    answer,
    amounts: state.amounts,
    minimum: state.minimum,
    maximum: state.maximum,
    rates: state.rates,
    includes_tax: state.includesTax,
    has_cards: state.hasCards,
    offers_invoices: state.offersInvoices,
    sandbox: state.sandbox,
  };
}

const toJson = (credits: Microcredits | null): number | null =>
  credits === null ? null : creditsToJson(credits);
