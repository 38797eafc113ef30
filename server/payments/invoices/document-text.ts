import { creditsToJson, microcredits } from '../../base/credits';
import { writeDay } from '../../base/write-date';
import { nameCountry } from './countries';
import type { DocumentKind, IssuedDocument } from './document';
import { isVatId } from './tax-id';

type Row = { label: string; value: string };

/** A document in words, in the order in which it is read. */
export type DocumentText = {
  language: 'en' | 'de';
  brand: string;
  title: string;
  number: string;
  facts: Row[];
  parties: { label: string; lines: string[] }[];
  summary: string;
  item: { label: string; value: string; notes: string[] };
  columns: { item: string; amount: string };
  totals: Row[];
  notes: string[];
};

export function writeDocument(issued: IssuedDocument): DocumentText {
  const { document, kind, amountMinor, taxMinor } = issued;
  const { language, seller, buyer, corrects } = document;
  const say = language === 'de' ? DE : EN;
  const show = formatsOf(issued);
  const amount = show.money(amountMinor);
  const net = show.money(amountMinor - taxMinor);
  return {
    language,
    brand: seller.brand,
    title: say.titles[kind],
    number: issued.number,
    facts: [
      { label: say.numbers[kind], value: issued.number },
      { label: say.issued, value: show.date(issued.issuedAt) },
      ...(corrects === null
        ? [{ label: say.paidAt, value: show.date(new Date(document.paidAt)) }]
        : [
            {
              label: say.corrects,
              value: say.ofDate(corrects.number, show.date(new Date(corrects.issuedAt))),
            },
          ]),
      ...(buyer.reference === null ? [] : [{ label: say.reference, value: buyer.reference }]),
      { label: say.purchase, value: document.purchaseId },
    ],
    parties: [
      { label: say.seller, lines: [seller.name, ...seller.address, ...taxLine(say, seller.taxId)] },
      {
        label: say.buyer,
        lines: [
          buyer.name,
          ...buyer.address,
          nameCountry(buyer.country, language),
          ...taxLine(say, buyer.taxId),
        ],
      },
    ],
    summary: say.summaries[kind](
      amount,
      show.date(kind === 'invoice' ? new Date(document.paidAt) : issued.issuedAt),
    ),
    columns: { item: say.item, amount: say.net },
    item: {
      label: say.items[kind](show.credits, seller.brand),
      value: net,
      notes: document.currency === 'usd' ? [] : [say.rate(show.rate)],
    },
    totals: [
      { label: say.subtotal, value: net },
      {
        label: document.taxPercent === null ? say.tax : `${say.tax} (${show.percent})`,
        value: show.money(taxMinor),
      },
      { label: say.totals[kind], value: amount },
    ],
    notes: document.isReverseCharge ? [say.reverseCharge] : [],
  };
}

function taxLine(say: Words, taxId: string | null): string[] {
  return taxId === null ? [] : [`${isVatId(taxId) ? say.vatId : say.taxId}: ${taxId}`];
}

function formatsOf({ document: { language, currency, credits, rate, taxPercent } }: IssuedDocument) {
  const locale = language === 'de' ? 'de' : 'en-US';
  const code = currency.toUpperCase();
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: code });
  const dollars = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 6,
  });
  return {
    money: (minor: number) => money.format(minor / 100),
    credits: new Intl.NumberFormat(locale).format(creditsToJson(microcredits(BigInt(credits)))),
    rate: `1 ${code} = ${dollars.format(Number(rate))}`,
    percent: `${new Intl.NumberFormat(locale, { maximumFractionDigits: 4 }).format(Number(taxPercent))}${language === 'de' ? '\u00a0' : ''}%`,
    date: (at: Date) => writeDay(at, { language }),
  };
}

const EN = {
  titles: { invoice: 'Invoice', credit_note: 'Credit note', cancellation: 'Cancellation of a credit note' },
  numbers: { invoice: 'Invoice number', credit_note: 'Credit note number', cancellation: 'Document number' },
  issued: 'Date of issue',
  paidAt: 'Date of supply and payment',
  corrects: 'For invoice',
  ofDate: (number: string, date: string) => `${number} of ${date}`,
  reference: 'Your reference',
  purchase: 'Purchase',
  seller: 'From',
  buyer: 'Bill to',
  vatId: 'VAT ID',
  taxId: 'Tax ID',
  summaries: {
    invoice: (amount: string, date: string) => `${amount} paid on ${date}`,
    credit_note: (amount: string, date: string) => `${amount} credited on ${date}`,
    cancellation: (amount: string, date: string) => `${amount} charged again on ${date}`,
  },
  item: 'Description',
  net: 'Amount without tax',
  items: {
    invoice: (credits: string, brand: string) => `${credits} ${brand} credits`,
    credit_note: (credits: string, brand: string) => `Returned payment for ${credits} ${brand} credits`,
    cancellation: (credits: string, brand: string) =>
      `Payment for ${credits} ${brand} credits, no longer returned`,
  },
  rate: (rate: string) => `Exchange rate: ${rate}`,
  subtotal: 'Total without tax',
  tax: 'Tax',
  totals: { invoice: 'Total, paid', credit_note: 'Total credited', cancellation: 'Total' },
  reverseCharge: 'Reverse charge: the tax is to be paid by the recipient.',
} satisfies Words;

const DE: Words = {
  titles: {
    invoice: 'Rechnung',
    credit_note: 'Rechnungskorrektur',
    cancellation: 'Storno einer Rechnungskorrektur',
  },
  numbers: { invoice: 'Rechnungsnummer', credit_note: 'Korrekturnummer', cancellation: 'Belegnummer' },
  issued: 'Rechnungsdatum',
  paidAt: 'Leistungs- und Zahlungsdatum',
  corrects: 'Zu Rechnung',
  ofDate: (number, date) => `${number} vom ${date}`,
  reference: 'Ihre Referenz',
  purchase: 'Kauf',
  seller: 'Von',
  buyer: 'Rechnungsempfänger',
  vatId: 'USt-IdNr.',
  taxId: 'Steuernummer',
  summaries: {
    invoice: (amount, date) => `${amount} bezahlt am ${date}`,
    credit_note: (amount, date) => `${amount} gutgeschrieben am ${date}`,
    cancellation: (amount, date) => `${amount} erneut berechnet am ${date}`,
  },
  item: 'Beschreibung',
  net: 'Betrag ohne Steuer',
  items: {
    invoice: (credits, brand) => `${credits} ${brand} Credits`,
    credit_note: (credits, brand) => `Zurückgegebene Zahlung für ${credits} ${brand} Credits`,
    cancellation: (credits, brand) => `Zahlung für ${credits} ${brand} Credits, nicht mehr zurückgegeben`,
  },
  rate: (rate) => `Wechselkurs: ${rate}`,
  subtotal: 'Summe ohne Steuer',
  tax: 'Umsatzsteuer',
  totals: { invoice: 'Gesamtbetrag, bezahlt', credit_note: 'Korrekturbetrag', cancellation: 'Gesamtbetrag' },
  reverseCharge: 'Steuerschuldnerschaft des Leistungsempfängers (Reverse Charge).',
};

type OfKind<Value> = Record<DocumentKind, Value>;
type Words = {
  [Label in
    | 'issued'
    | 'paidAt'
    | 'corrects'
    | 'reference'
    | 'purchase'
    | 'seller'
    | 'buyer'
    | 'vatId'
    | 'taxId'
    | 'item'
    | 'net'
    | 'subtotal'
    | 'tax'
    | 'reverseCharge']: string;
} & {
  titles: OfKind<string>;
  numbers: OfKind<string>;
  totals: OfKind<string>;
  summaries: OfKind<(amount: string, date: string) => string>;
  items: OfKind<(credits: string, brand: string) => string>;
  ofDate(number: string, date: string): string;
  rate(rate: string): string;
};
