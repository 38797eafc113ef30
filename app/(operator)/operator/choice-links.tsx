import { PageLink } from '@/app/_ui/page-link';
import type { Period } from '@/server/reports/activity/periods';

const PERIOD_NAMES: Record<Period, string> = {
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '12m': '12 months',
};

/** The period a page shows, kept in its URL. */
export const PeriodLinks = ({ current }: { current: Period }) => (
  <ChoiceLinks label="Period" name="period" choices={PERIOD_NAMES} current={current} />
);

type Props<Value extends string> = {
  label: string;
  /** The parameter of the URL. */
  name: string;
  choices: Record<Value, string>;
  current: Value;
};

/** What a page or list shows, kept in its URL. */
export function ChoiceLinks<Value extends string>({ label, name, choices, current }: Props<Value>) {
  return (
    <nav aria-label={label} className="flex rounded-lg border border-line bg-surface p-0.5 text-sm">
      {(Object.entries(choices) as [Value, string][]).map(([value, words]) => (
        <PageLink
          key={value}
          href={`?${name}=${value}`}
          aria-current={value === current ? 'true' : undefined}
          className="flex h-11 items-center rounded-md px-3 text-muted hover:text-text aria-[current=true]:bg-sunken aria-[current=true]:font-medium aria-[current=true]:text-text forced-colors:aria-[current=true]:underline sm:h-8"
        >
          {words}
        </PageLink>
      ))}
    </nav>
  );
}
