import type { ReactNode } from 'react';
import { alignDecimals } from '@/app/_ui/amount';
import { CopyField } from '@/app/_ui/copy-field';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { formatCredits } from '@/server/base/credits';
import { readRules } from '@/server/base/data-rules';
import { formatPercent } from '@/server/partners/rate';
import type { UserReceipt } from '@/server/reports/activity/user-receipt';
import { Attempts } from './attempts';
import { TokenLines } from './token-lines';

type Props = {
  receipt: UserReceipt;
  /** The list the page was opened from. */
  back: { href: string; label: string };
};

/** Everything that was metered, priced and charged for one request. */
export function RequestReceipt({ receipt, back }: Props) {
  return (
    <>
      <PageHead
        back={back}
        title="Receipt"
        description={
          <>
            {receipt.model} in {receipt.appName}, <Time at={receipt.createdAt.toISOString()} />
          </>
        }
      />
      <Remarks receipt={receipt} />
      <Section title="Usage" flush>
        <TokenLines lines={receipt.lines} reasoningTokens={receipt.reasoningTokens} />
      </Section>
      <Section title="Credits">
        <Sums receipt={receipt} />
      </Section>
      {receipt.attempts && <Attempts attempts={receipt.attempts} paid={receipt.provider} />}
      <Corrections corrections={receipt.corrections} />
      <Section title="Details">
        <dl className="flex flex-col gap-2.5 text-sm">
          <Sum label={receipt.attempts === null ? 'Sent to' : 'Charged by'}>{receipt.provider}</Sum>
          <Sum
            label="Price version"
            note="The provider’s prices at that time. Later ones do not change a receipt."
          >
            <code className="font-mono text-[13px]">{receipt.priceVersion}</code>
          </Sum>
          <Sum
            label="Reserved while running"
            note="The most that the request could cost. What it did not need was released."
          >
            <span className="whitespace-nowrap">{formatCredits(receipt.held)} credits</span>
          </Sum>
          {receipt.dataRules !== null && (
            <Sum label="Data rules" note="What you, the app and this service required of the provider.">
              {readRules(receipt.dataRules).join(', ')}
            </Sum>
          )}
          {receipt.runKeyLabel !== null && <Sum label="Run key">{receipt.runKeyLabel}</Sum>}
          <Sum label="Key">
            <code className="font-mono text-[13px] break-all">{receipt.keyId}</code>
          </Sum>
          <Sum label="Usage">{receipt.estimated ? 'Estimated' : 'Reported by the provider'}</Sum>
        </dl>
        <p className="mt-4 mb-1.5 text-sm text-muted">Request ID</p>
        <div>
          <CopyField label="request ID" value={receipt.requestId} />
        </div>
      </Section>
    </>
  );
}

/** The provider cost, the commission, and whose credits paid. */
function Sums({ receipt }: { receipt: UserReceipt }) {
  const { providerCost, partnerShare, notCharged, charge, paidFrom, rateBp } = receipt;
  const [cost, share, given, charged, ...parts] = alignDecimals(
    [providerCost, partnerShare, notCharged, charge, ...paidFrom.map(({ amount }) => amount)].map(
      formatCredits,
    ),
  );
  return (
    <dl className="flex flex-col gap-2.5 text-sm">
      <Sum label="Provider cost">{cost}</Sum>
      <Sum label={`Commission to ${receipt.appName}, ${formatPercent(rateBp)}%`}>{share}</Sum>
      {notCharged > 0n && <Sum label="Above the reserved amount, not charged">−{given}</Sum>}
      <div className="my-1 border-t border-line" />
      <Sum label="Charged" strong>
        {charged}
      </Sum>
      <Sum label="In US dollars">{writeDollars(charge)}</Sum>
      {paidFrom.map(({ appName }, place) => (
        <Sum
          key={appName ?? ''}
          label={appName === null ? 'From credits outside any app' : `From credits bought in ${appName}`}
        >
          {parts[place]}
        </Sum>
      ))}
    </dl>
  );
}

const DOLLARS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 8 });
const MICROCREDITS_PER_DOLLAR = 100_000_000;

/** Exact. */
const writeDollars = (charge: bigint): string => DOLLARS.format(Number(charge) / MICROCREDITS_PER_DOLLAR);

/** What was given back since. The receipt itself does not change. */
function Corrections({ corrections }: Pick<UserReceipt, 'corrections'>) {
  if (corrections.length === 0) return null;
  return (
    <Section title="Corrections" description="This request was overcharged, and the difference was refunded.">
      <ul className="flex flex-col gap-2.5 text-sm">
        {corrections.map(({ transactionId, bookedAt, credits, reason }) => (
          <li key={transactionId} className="flex justify-between gap-6">
            <span className="min-w-0 wrap-anywhere">
              Corrected on <Time at={bookedAt.toISOString()} withClock={false} />: {reason}
            </span>
            <span className="font-medium whitespace-nowrap tabular-nums">
              +{formatCredits(credits)} credits
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Remarks({ receipt: { outcome, estimated } }: { receipt: UserReceipt }) {
  const remarks = [
    outcome === 'aborted' && 'The response was stopped early. Only what was produced until then was charged.',
    outcome === 'failed' && 'The response was cut off. Only what was produced until then was charged.',
    outcome === 'refused' && 'The provider refused the content of this request, and charges a fee for that.',
    estimated && 'The provider did not report how many tokens it used, so we counted them.',
  ].filter((remark) => remark !== false);
  if (remarks.length === 0) return null;
  return (
    <div className="mb-6">
      <Notice kind="warning">{remarks.join(' ')}</Notice>
    </div>
  );
}

type SumProps = { label: string; note?: string; strong?: boolean; children: ReactNode };

function Sum({ label, note, strong = false, children }: SumProps) {
  return (
    <div className={`flex justify-between gap-6 ${strong ? 'text-base font-semibold' : ''}`}>
      <dt className={strong ? '' : 'text-muted'}>
        {label}
        {note && <span className="block text-[13px]">{note}</span>}
      </dt>
      <dd className="text-right tabular-nums">{children}</dd>
    </div>
  );
}
