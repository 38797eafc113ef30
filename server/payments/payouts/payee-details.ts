import { z } from 'zod';
import type { PayeeDetails as StoredDetails } from '../../../prisma/client/client';
import { now } from '../../base/clock';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { findUnprintable } from '../../base/printable';
import { openSealed, seal } from '../../base/seal';
import { type GivenDetails, readDetails } from '../invoices/billing-details';
import { sellerSchema } from '../invoices/document';
import { findSeller } from '../invoices/seller';

/** What statements say about a team, and where an operator pays it by hand. */
export type PayeeDetails = {
  name: string;
  address: string[];
  country: string;
  taxId: string | null;
  /** The last characters of the destination; null if there is none. */
  destinationEnding: string | null;
};

export type GivenPayee = Omit<GivenDetails, 'reference'> & {
  /** Empty keeps the present one. */
  destination: string;
};
export type SavedPayee =
  | { ok: true; before: PayeeDetails | null; after: PayeeDetails }
  | { ok: false; field: keyof GivenPayee; message: string };

/** `payout.payee`: who pays and who is paid, as known when the payout was planned. */
export const payeeSchema = z.object({
  payer: sellerSchema.nullable(),
  name: z.string(),
  address: z.array(z.string()),
  country: z.string(),
  taxId: z.string().nullable(),
  destinationEnding: z.string().nullable(),
  /** When these details were saved: what an operator approves is paid as long as they do not change. */
  savedAt: z.iso.datetime(),
});
export type PayoutPayee = z.output<typeof payeeSchema>;

const SHOWN_CHARACTERS = 4;
const [SHORTEST, LONGEST] = [8, 200];
/** Spaces aside: a country, two check digits, the account. */
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

export async function readPayeeDetails(teamId: string): Promise<PayeeDetails | null> {
  const row = await prisma().payeeDetails.findUnique({ where: { teamId } });
  return row === null ? null : toDetails(row);
}

/** The whole destination, for the operator who pays. */
export async function revealDestination(teamId: string): Promise<string | null> {
  const row = await prisma().payeeDetails.findUnique({ where: { teamId } });
  return row?.destination ? openDestination(row.destination, teamId) : null;
}

/** What a payout made now says about its parties. */
export function toPayoutPayee(row: StoredDetails): PayoutPayee {
  return { payer: findSeller(), ...toDetails(row), savedAt: row.updatedAt.toISOString() };
}

/**
 * Payouts that are planned get the new details, and need an operator's approval again if one is to pay them by
 * hand: what was approved was another payee. `record` writes the team's audit log.
 */
export async function savePayeeDetails(
  teamId: string,
  given: GivenPayee,
  record: (tx: Tx, change: Extract<SavedPayee, { ok: true }>) => Promise<void>,
): Promise<SavedPayee> {
  const read = await readDetails({ ...given, reference: '' });
  if (!read.ok) return { ...read, field: read.field === 'reference' ? 'name' : read.field };
  const { reference: _, ...named } = read.details;
  const destination = readDestination(given.destination);
  if (destination !== null && typeof destination === 'object') return destination;
  return inTransaction(async (tx) => {
    // Payouts of the team are made under the same lock.
    await tx.$queryRaw`SELECT id FROM team WHERE id = ${teamId} FOR UPDATE`;
    const row = await tx.payeeDetails.findUnique({ where: { teamId } });
    const before = row && toDetails(row);
    const kept = row?.destination ? openDestination(row.destination, teamId) : null;
    const whole = destination ?? kept;
    const after = { ...named, destinationEnding: endingOf(whole) };
    const saved = { ok: true, before, after } as const;
    if (whole === kept && JSON.stringify(before) === JSON.stringify(after)) return saved;
    const sealed =
      whole === kept ? {} : { destination: whole === null ? null : seal(whole, payeeOf(teamId)) };
    const data = { ...named, ...sealed, updatedAt: laterThan(row?.updatedAt) };
    const stored = await tx.payeeDetails.upsert({
      where: { teamId },
      create: { teamId, ...data },
      update: data,
    });
    await renewPlanned(tx, stored);
    await record(tx, saved);
    return saved;
  });
}

/** The time tells each version of the details from the one before, whatever the clock does. */
function laterThan(last: Date | undefined): Date {
  return new Date(Math.max(now(), (last?.getTime() ?? 0) + 1));
}

async function renewPlanned(tx: Tx, details: StoredDetails): Promise<void> {
  const planned = { teamId: details.teamId, state: 'planned' };
  await tx.payout.updateMany({ where: planned, data: { payee: toPayoutPayee(details) } });
  await tx.payout.updateMany({ where: { ...planned, method: 'manual' }, data: { approvedBy: null } });
}

/** Null for none. */
function readDestination(given: string): string | null | Extract<SavedPayee, { ok: false }> {
  const refuse = (message: string) => ({ ok: false, field: 'destination', message }) as const;
  const text = given.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (text === '') return null;
  if (text.length < SHORTEST || text.length > LONGEST)
    return refuse(`Enter a bank account of ${SHORTEST} to ${LONGEST} characters`);
  const missing = findUnprintable(text);
  if (missing !== null)
    return refuse(`Statements cannot show “${missing}”. Use Latin, Greek or Cyrillic letters`);
  const compact = text.replaceAll(' ', '').toUpperCase();
  if (IBAN.test(compact) && !hasCheckDigits(compact))
    return refuse('This IBAN has a typing error: its check digits do not match');
  return text;
}

/** ISO 7064, MOD 97-10. */
function hasCheckDigits(iban: string): boolean {
  const digits = [...iban.slice(4), ...iban.slice(0, 4)].map((character) => Number.parseInt(character, 36));
  return BigInt(digits.join('')) % 97n === 1n;
}

function toDetails({ teamId, name, address, country, taxId, destination }: StoredDetails): PayeeDetails {
  const whole = destination && openDestination(destination, teamId);
  return { name, address, country, taxId, destinationEnding: endingOf(whole) };
}

const endingOf = (destination: string | null): string | null =>
  destination === null ? null : destination.replaceAll(' ', '').slice(-SHOWN_CHARACTERS);

/** What the account is sealed to. */
export const payeeOf = (teamId: string): string => `payee ${teamId}`;
const openDestination = (sealed: Uint8Array, teamId: string): string => openSealed(sealed, payeeOf(teamId));
