import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import type { ReceiptAttempt } from '@/server/ledger';

export const ATTEMPT_OUTCOMES: Record<ReceiptAttempt['outcome'], string> = {
  responded: 'Responded',
  refused: 'Refused the content',
  failed: 'Returned an error',
  no_response: 'No response',
  interrupted: 'Interrupted',
};

type Props = {
  attempts: readonly ReceiptAttempt[];
  /** The provider whose response was charged, if any. */
  paid: string | null;
};

/** Every provider that a request was sent to, where the receipt’s own provider is not the only one. */
export function Attempts({ attempts, paid }: Props) {
  return (
    <Section
      title="Sent to"
      description={`Each of these providers may have read the request.${paid === null ? '' : ` The charge covers ${paid} only.`}`}
      flush
    >
      <ol className="text-sm">
        {attempts.map(({ provider, model, at, outcome }) => (
          <li
            key={`${at} ${model}`}
            className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 border-b border-line/70 px-5 py-3 last:border-0"
          >
            <div className="min-w-0">
              <p className="font-medium">{provider}</p>
              <p className="text-[13px] break-all text-muted">{model}</p>
            </div>
            <div className="text-right max-sm:text-left">
              <p>{ATTEMPT_OUTCOMES[outcome]}</p>
              <p className="text-[13px] text-muted">
                <Time at={at} />
              </p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
