import type { findDomains } from '@/server/payments/checkout/payment-method-domains';

type State = Awaited<ReturnType<typeof findDomains>> extends Map<string, infer Value> ? Value : never;

/** Whether Apple Pay and Google Pay appear in an overlay on this origin. */
export function DomainState({ state }: { state: State }) {
  return state === null ? null : <span className="block text-[13px] text-muted">{describe(state)}</span>;
}

function describe(state: NonNullable<State>): string {
  if (state === 'unregistered')
    return 'Apple Pay and Google Pay: registered within a minute of the first checkout from this origin';
  if (state.applePay === null && state.error === null)
    return 'Apple Pay and Google Pay: being registered, which takes about a minute';
  if (state.applePay === null)
    return 'Apple Pay and Google Pay: not registered yet; it is tried again after ten minutes, and then less and less often';
  if (state.applePay && state.googlePay) return 'Apple Pay and Google Pay: active';
  const waiting = `waiting for the verification of ${state.host}. It must be reachable from the internet over https and is checked again after an hour, then less and less often, at least weekly`;
  if (state.googlePay) return `Google Pay: active. Apple Pay: ${waiting}`;
  return state.applePay
    ? `Apple Pay: active. Google Pay: ${waiting}`
    : `Apple Pay and Google Pay: ${waiting}`;
}
