import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { formatCredits } from '@/app/_ui/amount';
import { creditsToJson } from '@/server/base/credits';
import { settings } from '@/server/base/env';
import { ApiError } from '@/server/base/errors';
import { readGift } from '@/server/payments/checkout/gifts';
import { CODE_REFUSALS } from '@/server/payments/checkout/promotions';
import { Sheet } from '../../sheet';
import { RedeemGift } from './redeem-gift';

export const metadata: Metadata = { title: 'Redeem a gift', robots: 'noindex', referrer: 'no-referrer' };

type Props = { params: Promise<{ code: string }> };

/** Where a gift link leads. Opening it changes nothing. */
export default async function RedeemPage({ params }: Props) {
  const { userId, email } = await requireSession();
  const code = decodeURIComponent((await params).code);
  const found = await read(userId, code);
  return (
    <Sheet brand={settings().BRAND_NAME}>
      {'gift' in found ? (
        <RedeemGift
          code={code}
          email={email}
          credits={formatCredits(creditsToJson(found.gift.credits), 'en')}
          appName={found.gift.appName}
        />
      ) : (
        <>
          <h1 className="text-2xl font-semibold">This gift cannot be redeemed</h1>
          <p className="mt-1.5 text-muted">{found.reason}</p>
          <p className="mt-4 text-muted">
            You are signed in as <span className="wrap-anywhere text-text">{email}</span>.{' '}
            <a href="/account" className="underline">
              Open your account
            </a>
          </p>
        </>
      )}
    </Sheet>
  );
}

async function read(userId: string, code: string) {
  try {
    const found = await readGift(userId, code);
    return 'gift' in found ? found : { reason: CODE_REFUSALS[found.refusal] };
  } catch (failure) {
    if (failure instanceof ApiError) return { reason: failure.message };
    throw failure;
  }
}
