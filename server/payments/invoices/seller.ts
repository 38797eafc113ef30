import { settings } from '../../base/env';
import type { Seller } from './document';

/** Null while the operator has not set who sells. Invoices are not offered then. */
export function findSeller(): Seller | null {
  const { BRAND_NAME, SELLER_NAME, SELLER_ADDRESS, SELLER_TAX_ID } = settings();
  if (SELLER_NAME === undefined || SELLER_ADDRESS === undefined) return null;
  return { brand: BRAND_NAME, name: SELLER_NAME, address: SELLER_ADDRESS, taxId: SELLER_TAX_ID ?? null };
}

/** For operators, where the service starts and on their pages. Null if invoices are offered. */
export function describeMissingSeller(): string | null {
  return findSeller() === null ? 'Invoices: not offered. Set SELLER_NAME and SELLER_ADDRESS.' : null;
}
