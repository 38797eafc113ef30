import { Badge } from '@/app/_ui/badge';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Section } from '@/app/_ui/section';
import type { Period } from '@/server/reports/activity/periods';
import { FEE_ESTIMATE, type Margin, type MarginLines } from '@/server/reports/margin/result';
import { inDollarChange, inDollars, inPercent } from './write-amounts';

type Line = { label: string; note: string; href: string; isEstimate?: boolean };

/** Why each amount is part of the result, and the list behind it. */
function describeLines({ estimatedLosses }: Margin, period: Period): Record<keyof MarginLines, Line> {
  const { bp, creditsPerPayment, creditsPerDispute } = FEE_ESTIMATE;
  const inCents = (credits: bigint) => inDollars(credits * 1_000_000n);
  const overruns = `/operator/overruns?period=${period}`;
  return {
    charged: { label: 'Charged to users', note: 'for requests', href: '#apps' },
    providerCost: { label: 'Provider cost', note: 'at list price', href: '/operator/providers' },
    commission: { label: 'Commission', note: 'earned by partners', href: '/operator/payouts' },
    grantedSpent: {
      label: 'Granted credits spent',
      note: 'bonus credits included',
      href: '/operator/promotions',
    },
    overruns: { label: 'Overruns', note: 'provider cost above the amount held', href: overruns },
    losses: {
      label: 'Calls without a charge',
      note:
        estimatedLosses === 0n
          ? 'billed by providers'
          : `of which ${inDollars(-estimatedLosses)} may be billed`,
      href: overruns,
    },
    reversals: {
      label: 'Refunds and disputes',
      note: 'of credits already spent',
      href: '/operator/payments?state=reversed#all',
    },
    corrections: {
      label: 'Corrections',
      note: 'less the cost and commission that fell',
      href: '/operator/corrections',
    },
    tax: { label: 'Tax', note: 'included in prices', href: '/operator/payments?state=paid#all' },
    processing: {
      label: 'Payment processing',
      note: `${inPercent(Number(bp))} and ${inCents(creditsPerPayment)} per payment, ${inCents(creditsPerDispute)} per dispute`,
      href: '/operator/payments?state=paid#all',
      isEstimate: true,
    },
  };
}

type Props = { margin: Margin; before: Margin; period: Period };

/** Whether the operator earns or loses money, line by line. */
export function MarginSection({ margin, before, period }: Props) {
  const lines = describeLines(margin, period);
  const previous = before.charged === 0n ? null : before;
  return (
    <Section
      id="result"
      title="Result"
      description="What you earned in this period: charges less everything they cost you. Credits count when they are spent, not when they are sold."
      flush
    >
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">The result and the change from the previous period</caption>
        <thead>
          <tr className="border-b border-line text-[13px] text-muted">
            <th scope="col" className="py-2.5 pl-5 text-left font-medium">
              In USD
            </th>
            <th scope="col" className="px-3 text-right font-medium max-sm:pr-5">
              Amount
            </th>
            <th scope="col" className="pr-5 pl-3 text-right font-medium max-sm:hidden">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {(Object.keys(lines) as (keyof MarginLines)[]).map((name) => (
            <tr key={name} className="border-b border-line/70 hover:bg-sunken/60">
              <th scope="row" className="py-2.5 pl-5 text-left font-normal">
                <PageLink href={lines[name].href} className={`font-medium ${ROW_LINK}`}>
                  {lines[name].label}
                </PageLink>
                <span className="text-[13px] text-muted max-sm:mt-0.5 max-sm:block sm:ml-2">
                  {lines[name].note}
                </span>
                {lines[name].isEstimate && (
                  <span className="sm:ml-2">
                    <Badge>Estimate</Badge>
                  </span>
                )}
              </th>
              <Amounts now={margin[name]} before={previous?.[name]} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th scope="row" className="py-3.5 pl-5 text-left">
              Result
            </th>
            <Amounts now={margin.result} before={previous?.result} />
          </tr>
        </tfoot>
      </table>
    </Section>
  );
}

/** Nothing changed from a period without requests. */
function Amounts({ now, before }: { now: bigint; before: bigint | undefined }) {
  return (
    <>
      <td className="px-3 text-right whitespace-nowrap tabular-nums max-sm:pr-5">{inDollars(now)}</td>
      <td className="pr-5 pl-3 text-right font-normal whitespace-nowrap text-muted tabular-nums max-sm:hidden">
        {before === undefined ? '–' : inDollarChange(now - before)}
      </td>
    </>
  );
}
