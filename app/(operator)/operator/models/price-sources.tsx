import { Badge } from '@/app/_ui/badge';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { DEFAULT_MAX_AGE_DAYS } from '@/server/gateway/pricing/max-age';
import {
  listPriceAges,
  listPriceDisagreements,
  listPriceSources,
  listToolPriceAges,
} from '@/server/gateway/pricing/price-age';
import { PriceAgesTable } from './price-ages-table';

/** How old the prices are, per provider, and where their sources differ. */
export function PriceSources() {
  const ages = [
    ...listPriceAges(DEFAULT_MAX_AGE_DAYS).map(({ old, ...age }) => ({ ...age, oldModels: old.length })),
    ...listToolPriceAges(DEFAULT_MAX_AGE_DAYS).map(({ provider, tool, isOld, ...age }) => ({
      ...age,
      provider: `${provider}: ${tool}`,
      oldModels: isOld ? age.models : 0,
    })),
  ];
  const disagreements = listPriceDisagreements();
  const old = ages.filter(({ served, oldModels }) => served && oldModels > 0);
  return (
    <Section
      title="Age of the prices"
      description={
        <>
          From{' '}
          {listPriceSources().map(({ name, asOf }, i) => (
            <span key={name}>
              {i > 0 && ', '}
              {name} (<Time at={`${asOf}T00:00:00Z`} isDay withClock={false} />)
            </span>
          ))}
          . A price older than {DEFAULT_MAX_AGE_DAYS} days must be confirmed.
        </>
      }
      actions={
        <Badge look={old.length === 0 ? 'positive' : 'warning'}>
          {old.length === 0 ? 'Current' : `Old: ${old.map(({ provider }) => provider).join(', ')}`}
        </Badge>
      }
      flush
    >
      <PriceAgesTable ages={ages} />
      {disagreements.length > 0 && (
        <details className="border-t border-line p-5 text-sm">
          <summary className="cursor-pointer font-medium">
            The sources differ on {disagreements.length} prices
          </summary>
          <ul className="mt-3 flex flex-col gap-1.5">
            {disagreements.map((line) => (
              <li key={line} className="wrap-anywhere text-muted">
                {line}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}
