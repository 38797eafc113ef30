import { stripe } from '../client';
import { describeDomain } from '../domains';
import { couldNotRead, ok, type SetupCheck, warning } from './setup-check';

const NAME = 'Apple Pay and Google Pay';
/** The rest is counted. */
const NAMED_AT_MOST = 5;

/** Whether the domains that show the form are registered and active. */
export async function checkDomains(wanted: ReadonlySet<string>): Promise<SetupCheck> {
  if (wanted.size === 0)
    return ok(
      NAME,
      'Nothing to register: neither the checkout nor an app has an https address on the internet.',
    );
  try {
    const problems = new Map([...wanted].map((host) => [host, 'not registered']));
    for await (const domain of stripe().paymentMethodDomains.list({ limit: 100 })) {
      const { reason } = describeDomain(domain);
      if (reason === null) problems.delete(domain.domain_name);
      else if (problems.has(domain.domain_name)) problems.set(domain.domain_name, reason);
    }
    if (problems.size === 0) return ok(NAME, `Active on all ${wanted.size} domains.`);
    return warning(NAME, `Not active on ${listProblems(problems)}.`, FIX);
  } catch (error) {
    return couldNotRead(NAME, error, 'Payment Method Domains');
  }
}

const FIX =
  'The service registers them within a minute and tries again every hour. If a domain stays inactive, look at the reason (Stripe dashboard: Settings → Payments → Payment method domains).';

function listProblems(problems: ReadonlyMap<string, string>): string {
  const named = [...problems].slice(0, NAMED_AT_MOST).map(([host, reason]) => `${host} (${reason})`);
  const rest = problems.size - named.length;
  return named.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
