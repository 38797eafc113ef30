import { Gift } from 'lucide-react';
import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { formatCredits } from '@/app/_ui/amount';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { creditsToJson } from '@/server/base/credits';
import { type ListedPromotion, listPromotions } from '@/server/operator/promotions';
import { listPartners } from '@/server/partners/partner';
import { readPage } from '../read-page';
import { NewPromotion } from './new-promotion';
import { PromotionTable } from './promotion-table';

export const metadata: Metadata = { title: 'Promotions' };

const PAGE_SIZE = 50;

type Props = { searchParams: Promise<{ page?: string | string[] }> };

export default async function PromotionsPage({ searchParams }: Props) {
  await requireOperator();
  const { page: requested } = await searchParams;
  const page = readPage(requested);
  const offset = (page - 1) * PAGE_SIZE;
  const [{ promotions, total }, apps] = await Promise.all([
    listPromotions({ limit: PAGE_SIZE, offset }),
    listPartners(),
  ]);
  return (
    <>
      <PageHead
        title="Promotions"
        description="Bonus credits by promotion code or gift link. The price paid never changes. Dates are in UTC."
        actions={<NewPromotion apps={apps.map(({ id, name }) => ({ id, name }))} />}
      />
      <Section flush>
        {total === 0 ? (
          <EmptyState icon={<Gift size={20} aria-hidden="true" />} title="No promotions yet">
            Create a code for purchases, or gifts with links. Their redemptions appear here.
          </EmptyState>
        ) : (
          <PromotionTable rows={promotions.map(toRow)} />
        )}
        <Pager
          newer={page > 1 ? `/operator/promotions?page=${page - 1}` : undefined}
          older={offset + promotions.length < total ? `/operator/promotions?page=${page + 1}` : undefined}
          position={positionOf({ page, rows: PAGE_SIZE, total })}
        />
      </Section>
    </>
  );
}

const show = (credits: bigint): string => formatCredits(creditsToJson(credits), 'en');

function toRow(promotion: ListedPromotion) {
  const { id, kind, code, percent, credits, maxCredits, minPurchase, budget, validUntil } = promotion;
  const { reserved } = promotion;
  const given = show(promotion.given - reserved.credits);
  const isReserved = reserved.redemptions > 0;
  const conditions = [
    ...(maxCredits === null ? [] : [`at most ${show(maxCredits)}`]),
    ...(minPurchase === 0n ? [] : [`from ${show(minPurchase)} credits`]),
    ...(promotion.isFirstPurchase ? ['first purchase'] : []),
    ...(promotion.maxPerUser === 1 ? [] : [`${promotion.maxPerUser} per user`]),
  ];
  return {
    id,
    kind: kind as 'purchase' | 'gift',
    name: code ?? `Gift (${promotion.links} links)`,
    note: promotion.note,
    gives: percent === null ? `${show(credits ?? 0n)} credits` : `${percent}%`,
    conditions: conditions.join(', '),
    appName: promotion.appName ?? 'Any app',
    redeemed: `${promotion.redeemed - reserved.redemptions} / ${promotion.maxRedemptions ?? '∞'}${isReserved ? ` (+ ${reserved.redemptions} reserved)` : ''}`,
    given: `${given}${budget === null ? '' : ` / ${show(budget)}`}${isReserved ? ` (+ ${show(reserved.credits)} reserved)` : ''}`,
    until: validUntil?.toISOString() ?? null,
    state: promotion.state,
  };
}
