import { CreditCard } from 'lucide-react';
import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { creditsToJson } from '@/server/base/credits';
import { toMajorUnits } from '@/server/payments/checkout/amounts';
import { listPurchases } from '@/server/payments/checkout/purchases';
import { findNextRefund } from '@/server/payments/checkout/user-refunds';
import { listDocuments } from '@/server/payments/invoices/documents';
import { NextRefund } from './next-refund';
import { PurchaseTable } from './purchase-table';

export const metadata: Metadata = { title: 'Purchases' };

const PAGE_SIZE = 25;

type Props = { searchParams: Promise<{ page?: string | string[] }> };

/** Every purchase: where it was made, what was refunded, and its receipt. */
export default async function PurchasesPage({ searchParams }: Props) {
  const [{ userId }, { page: requested }] = await Promise.all([requireSession(), searchParams]);
  const page = typeof requested === 'string' && /^[1-9]\d{0,5}$/.test(requested) ? Number(requested) : 1;
  const offset = (page - 1) * PAGE_SIZE;
  const { purchases, total } = await listPurchases(userId, { limit: PAGE_SIZE, offset });
  const [documents, next] = await Promise.all([
    listDocuments(purchases.map(({ id }) => id)),
    findNextRefund(userId),
  ]);
  return (
    <>
      <PageHead
        title="Purchases"
        description="All payments, made here or in an app, with their receipts."
        actions={
          <PageLink href="/account/buy" className={buttonClass()}>
            Buy credits
          </PageLink>
        }
      />
      {next !== null && <NextRefund next={next} />}
      <Section flush>
        {total === 0 ? (
          <EmptyState icon={<CreditCard size={22} aria-hidden="true" />} title="No purchases yet">
            Buy credits here to use in any app, or inside an app to use there.
          </EmptyState>
        ) : (
          <PurchaseTable
            rows={purchases.map((purchase) => ({
              id: purchase.id,
              at: purchase.createdAt.toISOString(),
              appName: purchase.appName,
              amount: toMajorUnits(purchase.amountMinor),
              currency: purchase.currency,
              credits: creditsToJson(purchase.credits),
              returned: toMajorUnits(purchase.refundedMinor),
              status: purchase.status,
              documents: documents.filter(({ purchaseId }) => purchaseId === purchase.id),
            }))}
          />
        )}
        <Pager
          newer={page > 1 ? `/account/purchases?page=${page - 1}` : undefined}
          older={offset + purchases.length < total ? `/account/purchases?page=${page + 1}` : undefined}
          position={positionOf({ page, rows: PAGE_SIZE, total })}
        />
      </Section>
    </>
  );
}
