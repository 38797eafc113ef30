import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { requireOperator } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { nowDate } from '@/server/base/clock';
import { type CatalogModel, findCatalogModel, versionsInForce } from '@/server/gateway/pricing/catalog';
import { listPriceHistory } from '@/server/gateway/pricing/price-history';
import { describeUnitPrices } from '@/server/gateway/pricing/unit-words';
import { inUsd } from '../../write-amounts';
import { PriceTable } from './price-table';

type Props = { params: Promise<{ id: string[] }> };

const readId = async ({ params }: Props): Promise<string> =>
  (await params).id.map(decodeURIComponent).join('/');

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: await readId(props) };
}

export default async function ModelPage(props: Props) {
  await requireOperator();
  const id = await readId(props);
  const model = findCatalogModel(id);
  const history = await listPriceHistory(id);
  if (model === null && history.length === 0) notFound();
  return (
    <>
      <PageHead
        back={{ href: '/operator/models', label: 'Models and prices' }}
        title={id}
        description={model === null ? 'No longer in the catalogue.' : describeModel(model)}
      />
      {history.map(({ version, effectiveAt, condition, prices, webSearch, units }) => (
        <Section
          key={version}
          title={
            <>
              From <Time at={effectiveAt.toISOString()} withClock={false} />
            </>
          }
          description={
            <>
              Version <code className="font-mono text-[13px] wrap-anywhere">{version.split('@').at(-1)}</code>
              {condition !== null && `. ${condition}.`}
              {webSearch !== null && `. Web searches: ${inUsd(webSearch)} per 1,000.`}
              {describeUnitPrices(units).map((price) => `. ${price}`)}
            </>
          }
          actions={
            <StateOf
              isInForce={model !== null && versionsInForce(model).includes(version)}
              effectiveAt={effectiveAt}
            />
          }
          flush
        >
          {prices.some(({ input, output }) => Number(input) + Number(output) > 0) && (
            <PriceTable version={version} rows={prices} />
          )}
        </Section>
      ))}
      <p className="text-sm text-muted">
        In USD per million tokens, before commission. A request keeps the prices of the day it was admitted
        on; where they change by the hour, the end of the response decides.
      </p>
    </>
  );
}

const describeModel = ({ name, type, contextWindow }: CatalogModel): string =>
  contextWindow === 0
    ? `${name} (${type})`
    : `${name}, ${contextWindow.toLocaleString('en')} tokens of context`;

function StateOf({ isInForce, effectiveAt }: { isInForce: boolean; effectiveAt: Date }) {
  if (isInForce) return <Badge look="positive">Current</Badge>;
  return effectiveAt > nowDate() ? <Badge look="warning">Scheduled</Badge> : <Badge>Past</Badge>;
}
