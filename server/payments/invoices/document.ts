import { z } from 'zod';

/**
 * What an invoice, a credit note or a cancellation says, as stored when it was issued. Nothing in it is looked up
 * again. The number, the amounts and the date are in columns.
 */

export const DOCUMENT_KINDS = ['invoice', 'credit_note', 'cancellation'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

export const sellerSchema = z.object({
  brand: z.string(),
  name: z.string(),
  address: z.array(z.string()),
  taxId: z.string().nullable(),
});
export type Seller = z.output<typeof sellerSchema>;

const buyer = z.object({
  name: z.string(),
  address: z.array(z.string()),
  country: z.string(),
  taxId: z.string().nullable(),
  reference: z.string().nullable(),
});
export type Buyer = z.output<typeof buyer>;

export const documentSchema = z.object({
  language: z.enum(['en', 'de']),
  seller: sellerSchema,
  buyer,
  purchaseId: z.string(),
  paidAt: z.iso.datetime(),
  currency: z.string(),
  /** Microcredits. */
  credits: z.string(),
  /** USD per unit of the currency. */
  rate: z.string(),
  /** As reported by the payment processor; null if it reported none or several. */
  taxPercent: z.string().nullable(),
  isReverseCharge: z.boolean(),
  /** The number and date of the invoice that this document corrects. */
  corrects: z.object({ number: z.string(), issuedAt: z.iso.datetime() }).nullable(),
});
export type InvoiceDocument = z.output<typeof documentSchema>;

export type IssuedDocument = {
  number: string;
  kind: DocumentKind;
  amountMinor: number;
  taxMinor: number;
  issuedAt: Date;
  document: InvoiceDocument;
};
