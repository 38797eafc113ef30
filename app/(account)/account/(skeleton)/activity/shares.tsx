import { inColumn } from '@/app/_ui/amount';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { countOf } from '@/server/base/count-of';
import { creditsToJson } from '@/server/base/credits';
import type { Share } from './chart';
import { type ActivityQuery, writeQuery } from './filter';

const SHOWN = 6;

type Props = { title: string; of: 'app' | 'model'; query: ActivityQuery; shares: Share[] };

/** Spending per app or model, highest first. Choosing one filters the page by it. */
export function Shares({ title, of, query, shares }: Props) {
  const most = shares[0]?.charge ?? 0n;
  return (
    <Section title={title}>
      <ol className="flex flex-col gap-3.5">
        {shares.slice(0, SHOWN).map(({ id, name, charge, requests }) => (
          <li key={id}>
            <div className="flex items-baseline justify-between gap-4 text-sm">
              <PageLink
                href={writeQuery({ ...query, [of]: query[of] === id ? undefined : id, page: 1 })}
                aria-current={query[of] === id ? 'true' : undefined}
                className="-my-2 truncate py-2 underline-offset-2 hover:underline aria-[current=true]:font-semibold"
              >
                {name}
              </PageLink>
              <span className="shrink-0 tabular-nums">
                <span className="text-muted max-sm:hidden">{countOf(requests, 'request')} · </span>
                {inColumn(creditsToJson(charge))}
                <span className="text-muted"> credits</span>
              </span>
            </div>
            <svg className="mt-1.5 h-1.5 w-full" aria-hidden="true" preserveAspectRatio="none">
              <rect width="100%" height="100%" rx="3" className="fill-sunken" />
              <rect width={widthOf(charge, most)} height="100%" rx="3" className="fill-accent" />
            </svg>
          </li>
        ))}
      </ol>
      {shares.length > SHOWN && (
        <p className="mt-4 text-[13px] text-muted">and {shares.length - SHOWN} more in the export</p>
      )}
    </Section>
  );
}

function widthOf(charge: bigint, most: bigint): string {
  const percent = most === 0n ? 0 : Number((charge * 1000n) / most) / 10;
  return `${Math.max(percent, 1)}%`;
}
