import { z } from 'zod';
import { creditsToJson } from '../base/credits';
import { readDay } from '../reports/statements/day';
import type { Day, ListedStatement } from '../reports/statements/read-statements';
import type { PublicKey } from '../reports/statements/signing-keys';
import { wholeNumber } from './whole-number';

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 31;

export const statementsQuerySchema = z.object({
  limit: wholeNumber
    .refine((limit) => limit >= 1, { error: 'must be at least 1' })
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .default(DEFAULT_LIMIT)
    .meta({
      description: `Number of statements to return, from 1 to ${MAX_LIMIT}. Larger values are treated as ${MAX_LIMIT}.`,
      default: DEFAULT_LIMIT,
      minimum: 1,
    }),
  before: z
    .string()
    .refine((text) => readDay(text) !== null, { error: 'must be a day such as 2026-11-21' })
    .optional()
    .meta({ description: 'Returns statements of earlier days than this (UTC), for the next page.' }),
});

const jws = z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/);
const hash = z.string().regex(/^[\w-]{43}$/);

export const statementListSchema = z.object({
  data: z
    .array(
      z.object({
        day: z.iso.date(),
        entries: z.int().meta({ description: 'The number of bookings.' }),
        charged_credits: z.number().meta({ description: 'The sum of the day’s receipts.' }),
        other_credits: z
          .number()
          .meta({ description: 'Purchases, bonus credits, refunds and corrections, added up.' }),
        opening_credits: z.number().meta({
          description: 'The sum of everything booked for this user in this app before the day.',
        }),
        closing_credits: z.number().meta({ description: 'The same after the day.' }),
        root: hash.meta({ description: 'The Merkle root of the entries.' }),
        statement: jws.meta({ description: 'The signed statement (JWS).' }),
      }),
    )
    .meta({ description: 'Newest first. Only this app; days without bookings have no statement.' }),
  has_more: z.boolean(),
});

export const statementDaySchema = z
  .object({
    statement: jws.meta({ description: 'The signed statement (JWS).' }),
    entries: z
      .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
      .meta({ description: 'The bookings as stored now. Amounts are integer microcredits.' }),
    leaves: z
      .array(hash)
      .meta({ description: 'The hashes of the entries when the day was closed, in order.' }),
    prices: z
      .array(z.looseObject({ version: z.string(), model: z.string(), valid_from: z.iso.datetime() }))
      .meta({ description: 'The price versions of the entries, in picocredits per token.' }),
  })
  .meta({ description: 'Everything that `svc-verify` needs to check a day of this user in this app.' });

export const receiptProofSchema = z
  .object({
    receipt: jws.meta({ description: 'The receipt, signed (JWS). Amounts in it are integer microcredits.' }),
    price: jws.nullable().meta({ description: 'The price version, signed, in picocredits per token.' }),
    inclusion: z
      .object({ index: z.int(), size: z.int(), path: z.array(hash) })
      .nullable()
      .meta({
        description:
          'Proves that the statement contains the receipt (RFC 6962). Null until the day is closed; null next to a statement means that the receipt was changed.',
      }),
    statement: jws
      .nullable()
      .meta({ description: 'The signed statement of the day in this app; null until the day is closed.' }),
  })
  .meta({ description: 'Signatures that `svc-verify` checks against the published keys.' });

export const keySetSchema = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
        kid: z.string(),
        x: hash,
        created_at: z.iso.datetime(),
        retired_at: z.iso.datetime().nullable().meta({ description: 'The key signed nothing afterwards.' }),
      }),
    ),
  })
  .meta({ description: 'A JSON Web Key Set. Retired keys stay in it.' });

export const writeStatementList = ({
  statements,
  hasMore,
}: {
  statements: ListedStatement[];
  hasMore: boolean;
}): z.output<typeof statementListSchema> => ({
  data: statements.map((statement) => ({
    day: statement.day,
    entries: statement.entries,
    charged_credits: toCredits(statement.charged),
    other_credits: toCredits(sumOf(statement.other)),
    opening_credits: toCredits(statement.opening),
    closing_credits: toCredits(statement.closing),
    root: statement.root,
    statement: statement.signed,
  })),
  has_more: hasMore,
});

/** As `statementDaySchema` describes it. */
export const writeStatementDay = ({ statement, entries, leaves, prices }: Day) => ({
  statement,
  entries,
  leaves,
  prices,
});

export const writeKeySet = (keys: readonly PublicKey[]): z.output<typeof keySetSchema> => ({
  keys: keys.map(({ id, x, createdAt, retiredAt }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    kid: id,
    x,
    created_at: createdAt.toISOString(),
    retired_at: retiredAt?.toISOString() ?? null,
  })),
});

const toCredits = (amount: number): number => creditsToJson(BigInt(amount));

const sumOf = (parts: Record<string, number>): number =>
  Object.values(parts).reduce((sum, part) => sum + part, 0);
