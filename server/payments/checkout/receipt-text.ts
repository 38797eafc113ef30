import { creditsToJson } from '../../base/credits';
import { settings } from '../../base/env';
import { STOP_LABEL } from '../../base/stop-link';
import { writeTime } from '../../base/write-date';
import type { PurchaseReceipt, PurchaseStatus } from './purchases';

/** A receipt in words, the same in the mail and on the page, except for an app's name that nobody approved. */
export type ReceiptText = {
  /** Of the mail, and of the page. */
  title: string;
  heading: string;
  intro: string;
  rows: { label: string; value: string }[];
  /** Path of the receipt in the account. */
  link: string;
  linkText: string;
  invoiceLinkText: string;
  stopLinkText: string;
  note: string;
  status: string;
  back: string;
  print: string;
  printNote: string;
};

export function writeReceiptMail(receipt: PurchaseReceipt): ReceiptText {
  const brand = settings().BRAND_NAME;
  const unnamed = receipt.language === 'de' ? DE.unnamedApp(brand) : EN.unnamedApp(brand);
  return writeReceipt({ ...receipt, ...(!receipt.isAutoTopUp && { appName: receipt.mailName ?? unnamed }) });
}

export function writeReceipt(receipt: PurchaseReceipt): ReceiptText {
  const say = receipt.language === 'de' ? DE : EN;
  const show = formatsOf(receipt);
  const brand = settings().BRAND_NAME;
  const credits = `${show.count(receipt.credits)} ${say.creditsUnit}`;
  const paid = show.money(receipt.amountMinor);
  const taken = receipt.refundedMinor + receipt.disputedMinor;
  return {
    title: receipt.isAutoTopUp ? say.topUpTitle(paid) : say.title(brand, paid),
    heading: say.number,
    intro: receipt.isAutoTopUp ? say.topUpIntro(credits) : say.intro(credits, receipt.appName),
    rows: [
      { label: say.number, value: receipt.id },
      { label: say.date, value: show.date },
      { label: say.app, value: receipt.appName },
      { label: say.buyer, value: receipt.email },
      { label: say.credits, value: credits },
      ...(receipt.bonus === null
        ? []
        : [
            {
              label: say.bonus(receipt.bonus.code),
              value: `${show.count(receipt.bonus.credits)} ${say.creditsUnit}`,
            },
          ]),
      ...(receipt.currency === 'usd' ? [] : [{ label: say.rate, value: show.rate }]),
      { label: say.paid, value: paid },
      ...(receipt.taxMinor > 0 ? [{ label: say.tax, value: show.money(receipt.taxMinor) }] : []),
      ...(taken > 0
        ? [{ label: say.refunded, value: show.money(Math.min(taken, receipt.amountMinor)) }]
        : []),
    ],
    link: `/account/receipts/${receipt.id}`,
    linkText: say.link,
    invoiceLinkText: say.invoiceLink,
    stopLinkText: say.stopLink,
    note: say.note(brand),
    status: say.statuses[receipt.status],
    back: say.back,
    print: say.print,
    printNote: say.printNote,
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
    count: (credits: bigint) => new Intl.NumberFormat(language).format(creditsToJson(credits)),
    rate: `1 ${base} = ${dollars.format(Number(rate))}`,
    date: `${writeTime(createdAt, { language })} UTC`,
  };
}

const EN = {
  title: (brand: string, paid: string) => `Your ${brand} receipt: ${paid}`,
  intro: (credits: string, app: string) => `Thank you. Your payment is complete: ${credits} for ${app}.`,
  topUpTitle: (paid: string) => `Your auto top-up: ${paid}`,
  topUpIntro: (credits: string) =>
    `Your credits were running low, so ${credits} were added with your saved card. Apps spend them within the allowance that you give each of them. You can change auto top-up or turn it off in your account, under Billing.`,
  unnamedApp: (brand: string) => `an app that uses ${brand}`,
  number: 'Receipt',
  date: 'Date',
  app: 'Bought in',
  buyer: 'Account',
  credits: 'Credits',
  creditsUnit: 'credits',
  bonus: (code: string) => `Bonus credits (code ${code})`,
  rate: 'Exchange rate',
  paid: 'Paid',
  tax: 'Tax included',
  refunded: 'Refunded',
  link: 'Open or print this receipt',
  invoiceLink: 'Your invoice',
  stopLink: STOP_LABEL,
  back: 'Account',
  print: 'Print',
  printNote: 'Credits do not expire. 100 credits are worth 1 US dollar of use.',
  statuses: {
    paid: 'Paid',
    partly_refunded: 'Partially refunded',
    refunded: 'Refunded',
    disputed: 'Disputed',
  } satisfies Record<PurchaseStatus, string>,
  note: (brand: string) =>
    `You are receiving this e-mail because you bought credits with your ${brand} account.`,
};

const DE: typeof EN = {
  title: (brand, paid) => `Ihre Quittung von ${brand}: ${paid}`,
  intro: (credits, app) => `Vielen Dank. Ihre Zahlung ist abgeschlossen: ${credits} für ${app}.`,
  topUpTitle: (paid) => `Ihre automatische Aufladung: ${paid}`,
  topUpIntro: (credits) =>
    `Ihr Guthaben ging zur Neige, daher wurden ${credits} mit Ihrer gespeicherten Karte gekauft. Apps geben sie im Rahmen der Freigabe aus, die Sie ihnen erteilen. In Ihrem Konto können Sie die automatische Aufladung unter „Billing“ ändern oder ausschalten.`,
  unnamedApp: (brand) => `eine App mit ${brand}`,
  number: 'Quittung',
  date: 'Datum',
  app: 'Gekauft in',
  buyer: 'Konto',
  credits: 'Guthaben',
  creditsUnit: 'Credits',
  bonus: (code) => `Bonus-Credits (Code ${code})`,
  rate: 'Wechselkurs',
  paid: 'Bezahlt',
  tax: 'Enthaltene Steuer',
  refunded: 'Erstattet',
  link: 'Quittung öffnen oder drucken',
  invoiceLink: 'Ihre Rechnung',
  stopLink: 'Allen Apps das Ausgeben meiner Credits verbieten',
  back: 'Konto',
  print: 'Drucken',
  printNote: 'Credits verfallen nicht. 100 Credits entsprechen 1 US-Dollar an Nutzung.',
  statuses: {
    paid: 'Bezahlt',
    partly_refunded: 'Teilweise erstattet',
    refunded: 'Erstattet',
    disputed: 'Angefochten',
  },
  note: (brand) => `Sie erhalten diese E-Mail, weil Sie mit Ihrem Konto bei ${brand} Credits gekauft haben.`,
};
