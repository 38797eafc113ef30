import { z } from 'zod';
import { creditsToJson, formatCredits, type Microcredits, parseCredits } from './credits';

/** Limits as people type them: those of users, partners and operators. */

export type ModelRule = { rule: 'only' | 'except'; models: string[] };

/** Empty for no limit. */
const typedCredits = z.string().max(40);

export const typedLimits = {
  day: typedCredits,
  month: typedCredits,
  request: typedCredits,
  rule: z.enum(['all', 'only', 'except']),
  models: z.array(z.string().regex(/^[\w.:/@-]{1,120}$/)).max(300),
};

/** Only users limit a week. */
export const typedWeeklyLimits = { ...typedLimits, week: typedCredits };

export type TypedLimits<Field extends string> = Record<Field, string> & {
  rule: 'all' | ModelRule['rule'];
  models: string[];
};

/** What was wrong, and in which field. */
export type LimitRefusal = { field: string; message: string };
type ReadLimits<Field extends string> =
  | { refusal: null; amounts: Record<Field, Microcredits | null>; models: ModelRule | null }
  | { refusal: LimitRefusal };

/** The most that a limit or an allowance may be. */
const MAX_CREDITS = 100_000_000_000_000n;
export const MAX_SHOWN = new Intl.NumberFormat('en').format(creditsToJson(MAX_CREDITS));

export function readTypedLimits<Field extends string>(
  typed: TypedLimits<Field>,
  fields: readonly Field[],
): ReadLimits<Field> {
  const amounts = {} as Record<Field, Microcredits | null>;
  for (const field of fields) {
    const text = typed[field].replaceAll(',', '').trim();
    const credits = text === '' ? null : parseCredits(text);
    if (isAboveMaximum(text))
      return {
        refusal: { field, message: `Enter at most ${MAX_SHOWN} credits, or leave it empty for no limit.` },
      };
    if (text !== '' && (credits === null || credits <= 0n)) {
      const message = 'Enter a number of credits above zero, or leave it empty for no limit.';
      return { refusal: { field, message } };
    }
    amounts[field] = credits;
  }
  if (typed.rule === 'all') return { refusal: null, amounts, models: null };
  const models = [...new Set(typed.models)];
  if (models.length === 0) return { refusal: { field: 'models', message: 'Choose at least one model.' } };
  return { refusal: null, amounts, models: { rule: typed.rule, models } };
}

/** A number of credits, or what is wrong with it. */
export function readTypedCredits(text: string): Microcredits | string {
  const typed = text.replaceAll(',', '').trim();
  const credits = parseCredits(typed);
  if (isAboveMaximum(typed)) return `Enter at most ${MAX_SHOWN} credits.`;
  return credits === null || credits <= 0n ? 'Enter a number of credits above zero, such as 500.' : credits;
}

/** Whether a text is a number of credits that no limit or allowance may have, however long. */
export const isAboveMaximum = (text: string): boolean =>
  /^\d{1,40}(\.\d{1,40})?$/.test(text) && Number(text) > creditsToJson(MAX_CREDITS);

type Amounts = Partial<Record<'day' | 'week' | 'month' | 'request', Microcredits | null>>;

/** Saved limits as text, for the form that changes them. */
export function writeTypedLimits(
  limits: (Amounts & { models: ModelRule | null }) | null,
): TypedLimits<keyof Amounts> {
  const write = (amount: keyof Amounts): string => {
    const credits = limits?.[amount];
    return credits ? formatCredits(credits) : '';
  };
  return {
    day: write('day'),
    week: write('week'),
    month: write('month'),
    request: write('request'),
    rule: limits?.models?.rule ?? 'all',
    models: limits?.models?.models ?? [],
  };
}
