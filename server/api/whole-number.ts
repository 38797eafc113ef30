import { z } from 'zod';

/** Query parameters carry numbers as text: digits only. */
export const wholeNumber = z.preprocess(
  (text) => (typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text),
  z.int({ error: 'must be a whole number' }).min(0).max(999_999_999),
);
