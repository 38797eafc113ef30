import { PageNotFound } from '@/app/_ui/page-not-found';

export default function PayoutNotFound() {
  return (
    <PageNotFound href="../payouts" label="Payouts">
      Your team has no such payout.
    </PageNotFound>
  );
}
