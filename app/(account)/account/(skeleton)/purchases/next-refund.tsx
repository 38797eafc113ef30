import { formatMoney } from '@/app/_ui/amount';
import { Section } from '@/app/_ui/section';
import { toMajorUnits } from '@/server/payments/checkout/amounts';
import type { NextRefund as Refund } from '@/server/payments/checkout/user-refunds';
import { RefundUnused } from './refund-unused';

/** What the user can have refunded next. */
export function NextRefund({ next }: { next: Refund }) {
  const { purchaseId, refundMinor, currency, appName, createdAt, isLimited } = next;
  const amount = toMajorUnits(refundMinor);
  const money = formatMoney(amount, currency, 'en', { inColumn: true });
  return (
    <Section
      title="Unused credits"
      actions={
        !isLimited && (
          <RefundUnused
            purchaseId={purchaseId}
            amount={amount}
            currency={currency}
            appName={appName}
            at={createdAt.toISOString()}
          />
        )
      }
    >
      <p className="max-w-[68ch] text-sm text-muted">
        {isLimited
          ? `${money} is unused. After three refunds in 30 days, an operator decides: ask the support of this service.`
          : `${money} of your purchase in ${appName} is unused and can go back to your payment method. The oldest purchase comes first.`}
      </p>
    </Section>
  );
}
