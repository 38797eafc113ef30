import { Difference } from './report';

/** The fields of what is checked, and how they are named and counted. */

export type Fields = Record<string, unknown>;

export const MICROCREDITS = 1_000_000n;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objects = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A count or an amount; both are never negative in receipts and prices. */
export function whole(value: unknown): bigint {
  if (!/^\d+$/.test(String(value))) throw new Difference(`expected a whole number instead of ${value}`);
  return BigInt(String(value));
}

export const sumOf = (amounts: number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

export const nameOf = (entry: Fields): string => String(entry.request_id ?? entry.id);
export const credits = (amount: number): string => String(amount / Number(MICROCREDITS));
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
