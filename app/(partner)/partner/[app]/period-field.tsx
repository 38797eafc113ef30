import { PERIODS, type Period } from '@/server/reports/activity/periods';
import { FilterSelect } from './filter-fields';

export const PERIOD_WORDS: Record<Period, string> = {
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
};

const DEFAULT: Period = '30d';

export function readPeriodChoice(value: string | string[] | undefined): Period {
  return PERIODS.find((period) => period === value) ?? DEFAULT;
}

export function PeriodField({ period }: { period: Period }) {
  return (
    <FilterSelect
      label="Period"
      name="period"
      className="min-w-0 max-sm:flex-1"
      value={period}
      options={PERIODS.map((value) => ({ value, label: PERIOD_WORDS[value] }))}
    />
  );
}
