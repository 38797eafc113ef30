import { settings } from '../base/env';
import { describeError, log } from '../base/log';
import { checkSetup } from '../payments/checkout/check-setup';

/**
 * With a live key, checks the payment processor's account after the start and logs what an operator should
 * do. Nothing waits for it, and a check that fails only leaves a warning.
 */
export function checkPaymentSetup(
  check: typeof checkSetup = checkSetup,
  key: string = settings().STRIPE_SECRET_KEY ?? '',
): void {
  if (!/^(sk|rk)_live_/.test(key)) return;
  check().then(
    (checks) => {
      for (const { state, name, found, fix } of checks)
        if (state !== 'ok')
          log().warn({ check: name, state, found, fix }, 'the payment set-up needs attention');
    },
    (error: unknown) =>
      log().warn({ error: describeError(error) }, 'the payment set-up could not be checked'),
  );
}
