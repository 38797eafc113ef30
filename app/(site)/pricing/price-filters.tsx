'use client';

import { Search } from 'lucide-react';
import { useRef } from 'react';
import { SelectField } from '../../_ui/select-field';
import { useEarlyInput } from '../../_ui/use-early-input';
import type { PriceFilter, Scope } from './price-filter';

type Props = {
  filter: PriceFilter;
  providers: string[];
  canChooseScope: boolean;
  count: number;
  onChange(next: Partial<PriceFilter>): void;
};

const SCOPES: { value: Scope; label: string }[] = [
  { value: 'served', label: 'Served here' },
  { value: 'all', label: 'All models' },
];

const RULES: { value: PriceFilter['rule']; label: string }[] = [
  { value: '', label: 'Any data policy' },
  { value: 'no_training', label: 'No training' },
  { value: 'no_retention', label: 'No retention' },
  { value: 'region_eu', label: 'European Union' },
  { value: 'region_us', label: 'United States' },
];

export function PriceFilters({ filter, providers, canChooseScope, count, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useEarlyInput(field);
  return (
    <search className="mt-6 flex flex-wrap items-center gap-3">
      <label className="relative min-w-0 flex-1 basis-full sm:basis-0">
        <span className="sr-only">Search models</span>
        <Search
          size={16}
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted"
        />
        <input
          ref={field}
          type="search"
          value={filter.q}
          placeholder="Search models"
          onChange={({ target }) => onChange({ q: target.value })}
          className="h-11 w-full rounded-lg border border-field/60 bg-surface pr-3 pl-9 text-base placeholder:text-muted hover:border-field sm:h-10 sm:text-sm"
        />
      </label>
      <SelectField
        label="Provider"
        labelHidden
        value={filter.provider}
        onChange={({ target }) => onChange({ provider: target.value })}
        options={[
          { value: '', label: 'All providers' },
          ...providers.map((name) => ({ value: name, label: name })),
        ]}
        className="min-w-0 flex-1 sm:flex-none"
      />
      <SelectField
        label="Data rule"
        labelHidden
        value={filter.rule}
        onChange={({ target }) => onChange({ rule: target.value as PriceFilter['rule'] })}
        options={RULES}
        className="min-w-0 flex-1 sm:flex-none"
      />
      {canChooseScope && (
        <SelectField
          label="Which models"
          labelHidden
          value={filter.show}
          onChange={({ target }) => onChange({ show: target.value as Scope })}
          options={SCOPES}
          className="min-w-0 flex-1 sm:flex-none"
        />
      )}
      <p role="status" className="basis-full text-sm text-muted sm:basis-auto">
        {count} {count === 1 ? 'model' : 'models'}
      </p>
    </search>
  );
}
