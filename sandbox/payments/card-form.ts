import { z } from 'zod';
import { nowDate } from '../../server/base/clock';
import { passesLuhn } from './cards';

export type CardDetails = { number: string; expiryMonth: number; expiryYear: number; name: string };
export type CardField = 'number' | 'expiry' | 'cvc' | 'name';
type CardFormResult = { card: CardDetails } | { errors: Partial<Record<CardField, string>> };

export const cardFormSchema = z.object({
  number: z.string().max(40),
  expiry: z.string().max(20),
  cvc: z.string().max(20),
  name: z.string().max(200),
});

export function checkCardForm(form: z.output<typeof cardFormSchema>): CardFormResult {
  const number = form.number.replace(/\D/g, '');
  const expiry = parseExpiry(form.expiry);
  const name = form.name.trim();
  const errors = {
    ...describe('number', checkNumber(number)),
    ...describe('expiry', checkExpiry(form.expiry, expiry)),
    ...describe('cvc', checkCvc(form.cvc.trim())),
    ...describe('name', name === '' ? 'Enter the name on the card.' : null),
  };
  if (expiry === null || Object.keys(errors).length > 0) return { errors };
  return { card: { number, name, expiryMonth: expiry.month, expiryYear: expiry.year } };
}

const describe = (field: CardField, message: string | null): Partial<Record<CardField, string>> =>
  message === null ? {} : { [field]: message };

function checkNumber(number: string): string | null {
  if (number === '') return 'Enter your card number.';
  if (number.length < 13) return 'Your card number is incomplete.';
  return number.length > 19 || !passesLuhn(number) ? 'Your card number is invalid.' : null;
}

/** Accepts `MM / YY`, and `MM/YYYY` as browsers fill it in. */
function parseExpiry(text: string): { month: number; year: number } | null {
  const match = /^(\d{2})\/?(?:20)?(\d{2})$/.exec(text.replace(/\s/g, ''));
  return match === null ? null : { month: Number(match[1]), year: 2000 + Number(match[2]) };
}

function checkExpiry(text: string, expiry: { month: number; year: number } | null): string | null {
  if (text.trim() === '') return 'Enter the expiry date.';
  if (expiry === null) return 'The expiry date is incomplete.';
  if (expiry.month < 1 || expiry.month > 12) return 'The expiry month is invalid.';
  const today = nowDate();
  const isPast = expiry.year * 12 + expiry.month < today.getUTCFullYear() * 12 + today.getUTCMonth() + 1;
  if (isPast) return 'The expiry date is in the past.';
  return expiry.year > today.getUTCFullYear() + 50 ? 'The expiry year is invalid.' : null;
}

function checkCvc(cvc: string): string | null {
  if (cvc === '') return 'Enter the security code.';
  return /^\d{3,4}$/.test(cvc) ? null : 'The security code is incomplete.';
}
