import { ApiRefusal } from './call-api';

/** What went wrong, and where the user can resolve it outside the checkout. */
export type Problem = { text: string; link: { href: string; label: string } | null };

/** Refusals that the user can resolve in the checkout. */
const CHECKOUT_REFUSALS: Record<string, string> = {
  insufficient_credits: 'You’re out of credits. Buy more to continue.',
  partner_not_permitted:
    'You have credits, but this app may not use them yet. Allow it, or buy credits here.',
  partner_limit_reached: 'Your allowance for this app is used up. Raise it, or buy credits here.',
};

export function needsCheckout(error: unknown): boolean {
  return error instanceof ApiRefusal && error.param === null && error.type in CHECKOUT_REFUSALS;
}

export function describeProblem(error: unknown): Problem {
  if (!(error instanceof ApiRefusal))
    return { text: error instanceof Error ? error.message : 'The request failed', link: null };
  const { param, type, message, actionUrl } = error;
  if (param === null) return { text: CHECKOUT_REFUSALS[type] ?? message, link: null };
  const limit = LIMIT.exec(param);
  const text = limit ? describeLimit(limit) : OTHER_PARAMS[`${type} ${param}`];
  const label = limit?.[2] === 'stop' ? 'Resume it' : limit ? 'Change your limits' : 'Buy credits';
  return { text: text ?? message, link: actionUrl === null ? null : { href: actionUrl, label } };
}

const LIMIT = /^limits\.(app|all|partner)\.(stop|model|request|day|week|month)$/;

function describeLimit([, scope, kind]: RegExpExecArray): string {
  if (scope === 'partner') return describeLimitOfApp(kind);
  const apps = scope === 'all' ? 'all apps' : 'this app';
  switch (kind) {
    case 'stop':
      return `You stopped ${apps} from spending your credits.`;
    case 'model':
      return `You don’t allow ${apps} to use this model. Choose another model.`;
    case 'request':
      return `This request costs more than your limit per request for ${apps}. Send a shorter prompt.`;
    default:
      return `Your limit per ${kind} for ${apps} is reached.`;
  }
}

/** Which the user cannot change. */
function describeLimitOfApp(kind: string | undefined): string {
  switch (kind) {
    case 'model':
      return 'This app doesn’t let you use this model. Choose another model.';
    case 'request':
      return 'This request costs more than this app allows. Send a shorter prompt.';
    default:
      return `You have reached this app’s limit per ${kind}. Try again when it resets.`;
  }
}

const TOO_LONG = 'Your credits don’t cover a prompt of this length. Shorten it, or buy credits.';

/** By type and parameter. A prompt has another name in each format. */
const OTHER_PARAMS: Record<string, string> = {
  'insufficient_credits messages': TOO_LONG,
  'insufficient_credits input': TOO_LONG,
  'model_not_allowed model': 'This app may not use this model. Choose another model.',
  'model_not_found model': 'This model does not exist. Choose another model.',
};
