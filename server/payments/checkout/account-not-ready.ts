import { ApiError } from '../../base/errors';
import { log } from '../../base/log';
import { openAlertAgain } from './alerts';

/** The settings that only work once the account at the processor is set up for them. */
export type AccountSetting = 'STRIPE_AUTOMATIC_TAX' | 'STRIPE_TERMS_OF_SERVICE';

/** The processor refuses every payment until an operator completes its account or changes the setting. */
export class AccountNotReady extends Error {
  readonly setting: AccountSetting;
  readonly fix: string;

  constructor({ setting, fix }: { setting: AccountSetting; fix: string }, cause: Error) {
    super(`${setting}: ${cause.message}`, { cause });
    this.setting = setting;
    this.fix = fix;
  }
}

/** The error for a buyer whose payment could not start. If they cannot help it, an operator is notified. */
export async function explainNotStarted(checkoutSessionId: string, cause: unknown): Promise<ApiError> {
  if (!(cause instanceof AccountNotReady))
    return new ApiError('upstream_error', 'The payment could not be started. Please try again.', { cause });
  await notifyOperator(checkoutSessionId, cause);
  return paymentsUnavailable(cause);
}

export const paymentsUnavailable = (cause?: unknown): ApiError =>
  new ApiError(
    'payments_unavailable',
    'Payments are not available right now. The operator has been notified.',
    { cause },
  );

/** One open alert and one line in the log for each setting, however many buyers it affects. */
async function notifyOperator(sessionId: string, { setting, fix, message }: AccountNotReady): Promise<void> {
  const alert = { id: `not_ready_${setting}`, kind: 'account_not_ready', sessionId } as const;
  const isNew = await openAlertAgain({ ...alert, detail: `${setting}: no payment can begin. ${fix}` });
  if (isNew) log().error({ setting, fix, error: message }, 'payments are not available');
}
