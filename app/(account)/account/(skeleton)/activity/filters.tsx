'use client';

import { useRouter } from 'next/navigation';
import { useOptimistic, useTransition } from 'react';
import { SelectField } from '@/app/_ui/select-field';
import { type ActivityQuery, writeQuery } from './filter';

type Choice = { value: string; label: string };
type Props = { query: ActivityQuery; apps: Choice[]; models: string[] };

const PERIODS: Choice[] = [
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: '12m', label: 'Last 12 months' },
];

/** The page's filters, kept in its URL. Any change returns to the first page of the list. */
export function Filters({ query, apps, models }: Props) {
  const router = useRouter();
  const [isLoading, startTransition] = useTransition();
  // Show the choice immediately, before the page has loaded.
  const [shown, setShown] = useOptimistic(query);
  const choose = (change: Partial<ActivityQuery>) =>
    startTransition(() => {
      const next = { ...shown, ...change, page: 1 };
      setShown(next);
      router.push(writeQuery(next), { scroll: false });
    });
  return (
    <search
      aria-label="Activity"
      aria-busy={isLoading}
      className={`mb-6 grid grid-cols-2 gap-3 transition-opacity sm:flex sm:flex-wrap ${isLoading ? 'opacity-60' : ''}`}
    >
      <SelectField
        label="Period"
        labelHidden
        options={PERIODS}
        value={shown.period}
        onChange={(event) => choose({ period: event.target.value as ActivityQuery['period'] })}
      />
      <SelectField
        label="Group by"
        labelHidden
        options={[
          { value: 'model', label: 'By model' },
          { value: 'app', label: 'By app' },
        ]}
        value={shown.by}
        onChange={(event) => choose({ by: event.target.value as ActivityQuery['by'] })}
      />
      <SelectField
        label="App"
        labelHidden
        className="min-w-0 sm:max-w-56"
        options={[{ value: '', label: 'All apps' }, ...apps]}
        value={shown.app ?? ''}
        onChange={(event) => choose({ app: event.target.value || undefined })}
      />
      <SelectField
        label="Model"
        labelHidden
        className="min-w-0 sm:max-w-64"
        options={[{ value: '', label: 'All models' }, ...models.map((id) => ({ value: id, label: id }))]}
        value={shown.model ?? ''}
        onChange={(event) => choose({ model: event.target.value || undefined })}
      />
    </search>
  );
}
