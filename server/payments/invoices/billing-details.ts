import type { BillingDetails as StoredDetails } from '../../../prisma/client/client';
import { nowDate } from '../../base/clock';
import { inTransaction, prisma } from '../../base/db';
import { lockAccount } from '../../base/lock-account';
import { findUnprintable } from '../../base/printable';
import { isCountry } from './countries';
import type { Buyer } from './document';
import { readTaxId } from './tax-id';

/** What a user's invoices say about the buyer. */
export type BillingDetails = Buyer;

export type GivenDetails = {
  name: string;
  address: string;
  country: string;
  taxId: string;
  reference: string;
};
export type SavedDetails = { ok: true } | { ok: false; field: keyof GivenDetails; message: string };

const MAX_LINES = 6;
const MAX_LINE = 100;

export async function readBillingDetails(userId: string): Promise<BillingDetails | null> {
  const row = await prisma().billingDetails.findUnique({ where: { userId } });
  return row === null ? null : toBuyer(row);
}

export function toBuyer({ name, address, country, taxId, reference }: StoredDetails): Buyer {
  return { name, address, country, taxId, reference };
}

/** Applies to invoices issued from now on. */
export async function saveBillingDetails(userId: string, given: GivenDetails): Promise<SavedDetails> {
  const read = await readDetails(given);
  if (!read.ok) return read;
  const row = { ...read.details, updatedAt: nowDate() };
  await inTransaction(async (tx) => {
    await lockAccount(tx, userId);
    await tx.billingDetails.upsert({ where: { userId }, create: { userId, ...row }, update: row });
  });
  return { ok: true };
}

export async function removeBillingDetails(userId: string): Promise<void> {
  await prisma().billingDetails.deleteMany({ where: { userId } });
}

type Reading = { ok: true; details: Buyer } | Extract<SavedDetails, { ok: false }>;

/** Checks that everything fits on a document. */
export async function readDetails(given: GivenDetails): Promise<Reading> {
  const refuse = (field: keyof GivenDetails, message: string): Reading => ({ ok: false, field, message });
  const name = tidy(given.name);
  const address = given.address
    .split(/\r?\n/)
    .map(tidy)
    .filter((line) => line !== '');
  const reference = tidy(given.reference);
  if (name === '' || name.length > MAX_LINE)
    return refuse('name', `Enter a name of at most ${MAX_LINE} characters`);
  if (address.length === 0 || address.length > MAX_LINES || address.some((line) => line.length > MAX_LINE))
    return refuse('address', `Enter one to ${MAX_LINES} lines of at most ${MAX_LINE} characters`);
  if (!isCountry(given.country)) return refuse('country', 'Choose a country');
  if (reference.length > MAX_LINE)
    return refuse('reference', `Enter a reference of at most ${MAX_LINE} characters`);
  for (const [field, text] of [
    ['name', name],
    ['address', address.join('')],
    ['reference', reference],
  ] as const) {
    const missing = findUnprintable(text);
    if (missing !== null)
      return refuse(field, `Documents cannot show “${missing}”. Use Latin, Greek or Cyrillic letters`);
  }
  const taxId = given.taxId.trim() === '' ? null : await readTaxId(given.country, given.taxId);
  if (taxId?.ok === false) return refuse('taxId', taxId.message);
  const details = { name, address, country: given.country, reference: reference || null };
  return { ok: true, details: { ...details, taxId: taxId?.taxId ?? null } };
}

/** Composed characters, single spaces. */
const tidy = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();
