import { z } from 'zod';
import { PERIODS, type Period } from '@/server/reports/activity/periods';

/** The activity page's query string. Invalid values fall back to the default. */

const PRINTABLE = /^[\x20-\x7e]{0,200}$/;
const first = z.preprocess(
  (value) => (Array.isArray(value) ? value[0] : value),
  z.string().regex(PRINTABLE).optional(),
);

const querySchema = z.object({
  period: first.pipe(z.enum(PERIODS)).catch('30d'),
  by: first.pipe(z.enum(['model', 'app'])).catch('model'),
  app: first.catch(undefined),
  model: first.catch(undefined),
  page: first.transform(Number).pipe(z.int().min(1).max(100_000)).catch(1),
});

export type ActivityQuery = {
  period: Period;
  by: 'model' | 'app';
  app: string | undefined;
  model: string | undefined;
  page: number;
};

export function readQuery(parameters: Record<string, string | string[] | undefined>): ActivityQuery {
  const { app, model, ...query } = querySchema.parse(parameters);
  return { ...query, app: app || undefined, model: model || undefined };
}

const DEFAULTS = { period: '30d', by: 'model', page: 1 };

/** The URL for a query, without parameters that have their default value. */
export function writeQuery(query: Partial<ActivityQuery>, path = '/account/activity'): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const isDefault = value === undefined || DEFAULTS[name as keyof typeof DEFAULTS] === value;
    if (!isDefault) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
