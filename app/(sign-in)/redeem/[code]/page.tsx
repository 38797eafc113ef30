import { readPageTexts, titled } from '@/app/_session/page-texts';
import { speakPage } from '@/app/_session/page-words';
import { requireSession } from '@/app/_session/session';
import { withPart } from '@/app/_ui/with-part';
import { creditsToJson } from '@/server/base/credits';
import { settings } from '@/server/base/env';
import { ApiError } from '@/server/base/errors';
import { readGift } from '@/server/payments/checkout/gifts';
import { unnamedApp } from '@/server/payments/checkout/receipt-text';
import { textOf } from '@/texts/say';
import { Sheet } from '../../sheet';
import { RedeemGift } from './redeem-gift';

export const generateMetadata = titled('redeem');

type Props = { params: Promise<{ code: string }> };

/** Where a gift link leads. Opening it changes nothing. */
export default async function RedeemPage({ params }: Props) {
  const { userId, email } = await requireSession();
  const code = decodeURIComponent((await params).code);
  const texts = await readPageTexts('redeem');
  const { say, shared, language } = speakPage(texts);
  const found = await read(userId, code);
  return (
    <Sheet brand={settings().BRAND_NAME}>
      {'gift' in found ? (
        <RedeemGift
          texts={texts}
          code={code}
          email={email}
          credits={creditsToJson(found.gift.credits)}
          appName={found.gift.isForAnyApp ? null : (found.gift.appName ?? unnamedApp(language))}
        />
      ) : (
        <>
          <h1 className="text-2xl font-semibold">{say.impossible}</h1>
          <p className="mt-1.5 text-muted">
            {textOf(shared.say.codeRefusals, found.refusal) ?? shared.say.wrong}
          </p>
          <p className="mt-4 text-muted">
            {withPart(
              (shown) => say.signedInAs({ email: shown }),
              <span className="wrap-anywhere text-text">{email}</span>,
            )}{' '}
            <a href="/account" className="underline">
              {say.openAccount}
            </a>
          </p>
        </>
      )}
    </Sheet>
  );
}

async function read(userId: string, code: string) {
  try {
    return await readGift(userId, code);
  } catch (failure) {
    if (failure instanceof ApiError) return { refusal: failure.code };
    throw failure;
  }
}
