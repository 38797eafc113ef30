import type { Language } from '../../../texts/languages';
import { creditsToJson } from '../../base/credits';
import { settings } from '../../base/env';
import { mailWords } from '../../base/mail-words';
import { writeTime } from '../../base/write-date';
import type { PurchaseReceipt } from './purchases';

/** A receipt in words, the same in the mail and on the page, except for an app's name that nobody approved. */
export type ReceiptText = ReturnType<typeof writeReceipt>;

/** An app whose name nobody approved. */
export const unnamedApp = (language: Language): string =>
  mailWords(language).receipt.unnamedApp({ brand: settings().BRAND_NAME });

export const writeReceiptMail = (receipt: PurchaseReceipt): ReceiptText =>
  writeReceipt({ ...receipt, appName: receipt.mailName ?? unnamedApp(receipt.language) });

export function writeReceipt(receipt: PurchaseReceipt) {
  const words = mailWords(receipt.language);
  const say = words.receipt;
  const show = formatsOf(receipt);
  const brand = settings().BRAND_NAME;
  const count = creditsToJson(receipt.credits);
  const credits = words.credits({ count });
  const appName = receipt.isAutoTopUp ? say.autoTopUp : receipt.appName;
  const paid = show.money(receipt.amountMinor);
  const taken = receipt.refundedMinor + receipt.disputedMinor;
  const { bonus } = receipt;
  return {
    title: receipt.isAutoTopUp ? say.topUpTitle({ paid }) : say.title({ brand, paid }),
    heading: say.number,
    intro: receipt.isAutoTopUp ? say.topUpIntro({ count }) : say.intro({ credits, app: appName }),
    rows: [
      { label: say.number, value: receipt.id },
      { label: say.date, value: show.date },
      { label: say.app, value: appName },
      { label: say.buyer, value: receipt.email },
      { label: say.credits, value: credits },
      ...(bonus === null
        ? []
        : [
            {
              label: say.bonus({ code: bonus.code }),
              value: words.credits({ count: creditsToJson(bonus.credits) }),
            },
          ]),
      ...(receipt.currency === 'usd' ? [] : [{ label: say.rate, value: show.rate }]),
      { label: say.paid, value: paid },
      ...(receipt.taxMinor > 0 ? [{ label: say.tax, value: show.money(receipt.taxMinor) }] : []),
      ...(taken > 0
        ? [{ label: say.refunded, value: show.money(Math.min(taken, receipt.amountMinor)) }]
        : []),
    ],
    /** Path of the receipt in the account. */
    link: `/account/receipts/${receipt.id}`,
    status: say.statuses[receipt.status],
    note: say.note({ brand }),
    say,
  };
}

function formatsOf({ language, currency, rate, createdAt }: PurchaseReceipt) {
  const base = currency.toUpperCase();
  const money = new Intl.NumberFormat(language, { style: 'currency', currency: base });
  const dollars = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 6,
  });
  return {
    money: (minor: number) => money.format(minor / 100),
    rate: `1 ${base} = ${dollars.format(Number(rate))}`,
    date: `${writeTime(createdAt, { language })} UTC`,
  };
}
