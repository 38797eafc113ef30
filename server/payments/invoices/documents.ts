import type { Invoice } from '../../../prisma/client/client';
import { prisma } from '../../base/db';
import { type DocumentKind, documentSchema, type IssuedDocument } from './document';

/** Finds documents that were issued. */

export type DocumentSummary = { number: string; kind: DocumentKind; purchaseId: string };

/** The documents of purchases, in the order in which they were issued. */
export async function listDocuments(purchaseIds: string[]): Promise<DocumentSummary[]> {
  const rows = await prisma().invoice.findMany({
    where: { purchaseId: { in: purchaseIds } },
    select: { number: true, kind: true, purchaseId: true },
    // If both were issued at the same moment, an invoice (INV) comes before its credit notes (CN).
    orderBy: [{ issuedAt: 'asc' }, { series: 'desc' }, { serial: 'asc' }],
  });
  return rows.map((row) => ({ ...row, kind: row.kind as DocumentKind }));
}

/** `userId` restricts it to the documents of a user; null finds those of all users. */
export async function findDocument(number: string, userId: string | null): Promise<IssuedDocument | null> {
  const row = await prisma().invoice.findUnique({ where: { number, ...(userId !== null && { userId }) } });
  return row === null ? null : toIssued(row);
}

function toIssued({ number, kind, amountMinor, taxMinor, issuedAt, document }: Invoice): IssuedDocument {
  return {
    number,
    kind: kind as DocumentKind,
    amountMinor,
    taxMinor,
    issuedAt,
    document: documentSchema.parse(document),
  };
}
