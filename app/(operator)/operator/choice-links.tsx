import { PageLink } from '@/app/_ui/page-link';
import { PERIODS, type Period } from '@/server/reports/activity/periods';

const NAMES: Record<Period, string> = {
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '12m': '12 months',
};

/** The period a page shows, kept in its URL. */
export function PeriodLinks({ current }: { current: Period }) {
  return (
    <nav aria-label="Period" className="flex rounded-lg border border-line bg-surface p-0.5 text-sm">
      {PERIODS.map((period) => (
        <PageLink
          key={period}
          href={`?period=${period}`}
          aria-current={period === current ? 'true' : undefined}
          className="flex h-11 items-center rounded-md px-3 text-muted hover:text-text aria-[current=true]:bg-sunken aria-[current=true]:font-medium aria-[current=true]:text-text forced-colors:aria-[current=true]:underline sm:h-8"
        >
          {NAMES[period]}
        </PageLink>
      ))}
    </nav>
  );
}
