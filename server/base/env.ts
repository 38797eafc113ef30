import { availableParallelism } from 'node:os';
import proxyAddress from 'proxy-addr';
import { z } from 'zod';
import { DATA_RULES, type DataRule, NO_RULES, type RuleSet, writeRules } from './data-rules';
import { baseUrlVariable, ENDPOINTS, keyVariable, type ProviderName } from './endpoints';
import { findRealSettings, isRealUrl } from './open-sandboxes';
import { findUnprintable } from './printable';

/**
 * All settings, read from the environment only here. An invalid value stops the start with the
 * variable's name and the expected value. `.env.example` lists the same names (a test compares them).
 */

const address = z.url({ protocol: /^https?$/, error: 'an http(s) URL such as https://pay.example.com' });
const count = (fallback: number) =>
  z.coerce
    .number({ error: 'a whole number' })
    .int({ error: 'a whole number' })
    .min(0, { error: 'zero or more' })
    .default(fallback);
const upTo = (most: number) => count(most).pipe(z.number().max(most, { error: `at most ${most}` }));
/** A line of a document, composed. */
const printed = (most: number) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .min(1)
    .max(most, { error: `at most ${most} characters` });
const list = z.string().transform((text) => text.split(',').map((entry) => entry.trim()));
const secret = z.string().min(32, { error: 'at least 32 characters' });
const flag = z.stringbool({ error: 'true or false' }).default(false);
/** A provider that hangs leaves the rest of an instance to the others. */
const PROVIDER_SHARE = 0.8;
/** Of each instance: two for paid requests, and two in each of the other pools. */
const LEAST_CONNECTIONS = 10;
const DEFAULT_CONNECTIONS = 34;
const MOST_INSTANCES = 64;
const INSTANCES_EXPECTED = `a whole number from 1 to ${MOST_INSTANCES}, or auto`;
const LIVE_STRIPE_KEY = /^(sk|rk)_live_/;

export const settingsSchema = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),

  PORT: z.coerce.number({ error: 'a port number' }).int().min(0).max(65535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  INSTANCES: z.preprocess(
    (given) => (given === 'auto' ? Math.min(availableParallelism(), MOST_INSTANCES) : given),
    z.coerce
      .number({ error: INSTANCES_EXPECTED })
      .int({ error: INSTANCES_EXPECTED })
      .min(1, { error: INSTANCES_EXPECTED })
      .max(MOST_INSTANCES, { error: INSTANCES_EXPECTED })
      .default(1),
  ),
  BASE_URL: address.optional(),
  CHECKOUT_URL: address.optional(),
  SDK_URL: address.optional(),
  TRUSTED_PROXIES: list
    .refine(areProxies, { error: 'comma-separated IP addresses or networks such as 10.0.0.0/8, loopback' })
    .default([]),
  SHUTDOWN_DELAY_SECONDS: count(0),
  DRAIN_SECONDS: count(30),
  BRAND_NAME: z.string().min(1).max(40).default('svc'),

  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// URL' })
    .transform(verifyTls)
    .optional(),
  DATABASE_REPLICA_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// URL' })
    .transform(verifyTls)
    .optional(),
  DATABASE_CONNECTIONS: z.coerce
    .number({ error: 'a whole number' })
    .int({ error: 'a whole number' })
    .min(LEAST_CONNECTIONS, { error: `${LEAST_CONNECTIONS} or more` })
    .optional(),
  MIGRATE: z.enum(['auto', 'never'], { error: 'auto or never' }).default('auto'),
  DATA_DIR: z.string().min(1).default('.data'),
  AUTH_SECRET: secret.optional(),
  AUTH_SECRET_PREVIOUS: secret.optional(),

  OPERATOR_EMAILS: list
    .pipe(
      z.array(
        z
          .string()
          .toLowerCase()
          .pipe(z.email({ error: 'comma-separated e-mail addresses' })),
      ),
    )
    .default([]),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GITHUB_CLIENT_ID: z.string().optional(),
  GITHUB_CLIENT_SECRET: z.string().optional(),
  MICROSOFT_CLIENT_ID: z.string().optional(),
  MICROSOFT_CLIENT_SECRET: z.string().optional(),
  OIDC_ISSUER: address.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(40).default('single sign-on'),
  OIDC_DOMAINS: z.string().toLowerCase().pipe(list).default([]),
  OIDC_GROUPS: list.default([]),
  OIDC_OPERATORS: flag,
  PARTNER_SIGNUP: z.enum(['open', 'approval', 'closed'], { error: 'open, approval or closed' }).optional(),

  SANDBOX: z.enum(['open', 'closed'], { error: 'open or closed' }).optional(),

  ...providerSettings(),
  CATALOG_FILE: z.string().min(1).optional(),
  /** What every provider that is called must meet. */
  DATA_RULES: list
    .pipe(z.array(z.enum(DATA_RULES, { error: `comma-separated data rules: ${DATA_RULES.join(', ')}` })))
    .default([])
    .transform(writeRules),
  /** Rules that a provider meets by an agreement with the operator. */
  DATA_AGREEMENTS: list
    .pipe(
      z.array(
        z.string().refine(isAgreement, { error: 'comma-separated entries such as openai:no_retention' }),
      ),
    )
    .default([])
    .transform(readAgreements),

  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_/, { error: 'a Stripe key: sk_test_… or sk_live_…' })
    .optional(),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_(test|live)_/, { error: 'a Stripe key: pk_test_… or pk_live_…' })
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_/, { error: 'a Stripe signing secret: whsec_…' })
    .optional(),
  /** Of the endpoint that receives the events of connected accounts. */
  STRIPE_CONNECT_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_/, { error: 'a Stripe signing secret: whsec_…' })
    .optional(),
  STRIPE_API_BASE: address.optional(),
  STRIPE_AUTOMATIC_TAX: flag,
  STRIPE_TERMS_OF_SERVICE: flag,
  STRIPE_INVOICES: flag,

  SELLER_NAME: printed(200).optional(),
  SELLER_ADDRESS: z
    .string()
    .normalize('NFC')
    .pipe(list)
    .refine((lines) => lines.length <= 6 && lines.every((line) => line !== ''), {
      error: 'up to six lines, separated by commas: Street 1, 1010 Vienna, Austria',
    })
    .optional(),
  SELLER_TAX_ID: printed(40).optional(),

  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'an smtp:// URL' }).optional(),
  MAIL_FROM: z.string().min(3).default('svc <no-reply@svc.localhost>'),

  EUR_USD_RATE: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,6})?$/, { error: 'a decimal such as 1.08' })
    .default('1.08'),
  MINIMUM_BALANCE_CREDITS: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, { error: 'an amount of credits such as 1' })
    .default('1'),
  DEFAULT_OUTPUT_TOKENS: count(16_384),
  KEEP_RESPONSES_MINUTES: count(60),
  KEEP_REPLAYS_HOURS: upTo(24),
  MINIMUM_PURCHASE: count(5),
  MAXIMUM_PURCHASE: count(500),
  REFUND_DAYS: count(14),

  EARNINGS_HOLD_DAYS: count(30),
  GRANTS_EARN_COMMISSION: flag,
  PAYOUTS: z.enum(['manual', 'stripe'], { error: 'manual or stripe' }).default('manual'),
  PAYOUT_SCHEDULE: z.enum(['monthly', 'on_request'], { error: 'monthly or on_request' }).default('monthly'),
  PAYOUT_MINIMUM: count(25),

  WEBHOOK_ALLOW_LOOPBACK: flag,

  SECRET_SCANNING_KEYS_URL: address.default('https://api.github.com/meta/public_keys/secret_scanning'),

  ACCESS_LOG: flag,
  /** The OpenTelemetry SDK reads its other variables itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/json', { error: 'http/json' }).optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'otlp or none' }).default('otlp'),
  OTEL_METRICS_EXPORTER: z.enum(['otlp', 'none'], { error: 'otlp or none' }).default('otlp'),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce
    .number({ error: 'a number of milliseconds' })
    .int({ error: 'a number of milliseconds' })
    .min(100, { error: '100 or more' })
    .default(60_000),
  OTEL_SDK_DISABLED: flag,
  TRACE_CONTEXT_TO_PROVIDERS: flag,
  METRICS_TOKEN: z.string().min(16, { error: 'at least 16 characters' }).optional(),

  UPSTREAM_FIRST_BYTE_SECONDS: count(600),
  UPSTREAM_STREAM_START_SECONDS: count(120),
  UPSTREAM_IDLE_SECONDS: count(90),
  UPSTREAM_BACKGROUND_SECONDS: count(600),

  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'a redis:// URL' }).optional(),
  LIMIT_REQUESTS_PER_KEY_PER_MINUTE: count(600),
  LIMIT_RUNNING_PER_USER: count(20),
  LIMIT_RUNNING_PER_PROCESS: count(1000),
  LIMIT_RUNNING_PER_PROVIDER: z.coerce
    .number({ error: 'a whole number' })
    .int({ error: 'a whole number' })
    .min(1, { error: 'one or more' })
    .optional(),
  LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY: count(100),
  LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY: count(1000),
  LIMIT_BACKGROUND_PER_USER: count(5),
  CACHE_MISS_PERCENT: count(1),
  LIMIT_CODES_PER_EMAIL_PER_HOUR: count(5),
  LIMIT_CODES_PER_ADDRESS_PER_HOUR: count(20),
  LIMIT_CODES_PER_APP_PER_HOUR: count(1000),
  LIMIT_CODE_RESEND_SECONDS: count(30),

  /** Set by the process when it starts the sandbox servers. */
  SANDBOX_PROVIDER_URL: address.optional(),
  SANDBOX_MAIL_URL: address.optional(),
  /** Where the embedded database is, if it runs. */
  EMBEDDED_DATA_DIR: z.string().optional(),
  /** Which of several INSTANCES this process is. */
  INSTANCE_NUMBER: z.string().optional(),
});

/**
 * pg verifies the certificate in each of these modes and warns that it will not always. With `uselibpqcompat`, the
 * modes are those of psql.
 */
function verifyTls(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

function isAgreement(entry: string): boolean {
  const [provider = '', rule, ...more] = entry.split(':');
  return (
    /^[a-z][a-z0-9-]*$/.test(provider) && DATA_RULES.some((known) => known === rule) && more.length === 0
  );
}

function readAgreements(entries: readonly string[]): ReadonlyMap<string, RuleSet> {
  const agreements = new Map<string, RuleSet>();
  for (const entry of entries) {
    const [provider = '', rule] = entry.split(':') as [string, DataRule];
    agreements.set(provider, (agreements.get(provider) ?? NO_RULES) | writeRules([rule]));
  }
  return agreements;
}

function areProxies(entries: string[]): boolean {
  try {
    proxyAddress.compile(entries);
    return true;
  } catch {
    return false;
  }
}

type ProviderSettings = {
  [Name in ProviderName as `${Uppercase<Name>}_API_KEY`]: z.ZodOptional<z.ZodString>;
} & {
  [Name in ProviderName as `${Uppercase<Name>}_BASE_URL`]: z.ZodDefault<typeof address>;
};

/** Key and base URL of every known provider. */
function providerSettings(): ProviderSettings {
  const entries = (Object.keys(ENDPOINTS) as ProviderName[]).flatMap((name) => [
    [keyVariable(name), z.string().min(1).optional()],
    [baseUrlVariable(name), address.default(ENDPOINTS[name].baseUrl)],
  ]);
  return Object.fromEntries(entries) as ProviderSettings;
}

type Parsed = z.output<typeof settingsSchema>;
export type Settings = Parsed & {
  BASE_URL: string;
  CHECKOUT_URL: string;
  SDK_URL: string;
  DATABASE_CONNECTIONS: number;
  LIMIT_RUNNING_PER_PROVIDER: number;
  PARTNER_SIGNUP: 'open' | 'approval' | 'closed';
  SANDBOX: 'open' | 'closed';
};

export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** Variables that the process sets itself. They do not belong in `.env`. */
export const INTERNAL_SETTINGS = [
  'SANDBOX_PROVIDER_URL',
  'SANDBOX_MAIL_URL',
  'EMBEDDED_DATA_DIR',
  'INSTANCE_NUMBER',
  'NODE_ENV',
] as const;

export const settingNames = (): string[] => Object.keys(settingsSchema.shape);

export function readSettings(environment: Record<string, string | undefined>): Settings {
  // `NAME=` in an env file means "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = settingsSchema.safeParse(given);
  if (!result.success) {
    throw new SettingsError(
      result.error.issues.map((issue) => `${issue.path.join('.')}: expected ${issue.message}`).join('\n'),
    );
  }
  const parsed = result.data;
  refuseContradictions(parsed);
  const base = trimSlash(parsed.BASE_URL ?? `http://localhost:${parsed.PORT}`);
  return {
    ...parsed,
    BASE_URL: base,
    CHECKOUT_URL: trimSlash(parsed.CHECKOUT_URL ?? `${base}/checkout`),
    SDK_URL: parsed.SDK_URL ?? `${base}/v1/svc.js`,
    DATABASE_CONNECTIONS:
      parsed.DATABASE_CONNECTIONS ?? Math.max(DEFAULT_CONNECTIONS, leastConnections(parsed)),
    LIMIT_RUNNING_PER_PROVIDER:
      parsed.LIMIT_RUNNING_PER_PROVIDER ?? Math.ceil(parsed.LIMIT_RUNNING_PER_PROCESS * PROVIDER_SHARE),
    SANDBOX: parsed.SANDBOX ?? (findRealSettings(parsed).length > 0 ? 'closed' : 'open'),
    PARTNER_SIGNUP: parsed.PARTNER_SIGNUP ?? (hasLiveKey(parsed) ? 'approval' : 'open'),
  };
}

const leastConnections = ({ INSTANCES }: Parsed): number => LEAST_CONNECTIONS * INSTANCES;

function refuseContradictions(parsed: Parsed): void {
  const refusals: [boolean, string][] = [
    [
      parsed.NODE_ENV === 'production' &&
        parsed.DATABASE_URL !== undefined &&
        parsed.AUTH_SECRET === undefined,
      'AUTH_SECRET: expected at least 32 random characters, because NODE_ENV is production and DATABASE_URL is set',
    ],
    [
      parsed.AUTH_SECRET_PREVIOUS !== undefined && parsed.AUTH_SECRET === undefined,
      'AUTH_SECRET_PREVIOUS: expected to be unset, because AUTH_SECRET is unset',
    ],
    [
      parsed.AUTH_SECRET_PREVIOUS !== undefined && parsed.AUTH_SECRET_PREVIOUS === parsed.AUTH_SECRET,
      'AUTH_SECRET_PREVIOUS: expected a secret other than AUTH_SECRET',
    ],
    [
      parsed.DATABASE_CONNECTIONS !== undefined && parsed.DATABASE_CONNECTIONS < leastConnections(parsed),
      `DATABASE_CONNECTIONS: expected at least ${leastConnections(parsed)}, because INSTANCES is ${parsed.INSTANCES}`,
    ],
    ...withLiveKey(parsed),
    ...withStripeKey(parsed),
    ...aboutSeller(parsed),
    ...aboutIssuers(parsed),
    [
      parsed.PAYOUTS === 'stripe' && parsed.STRIPE_SECRET_KEY === undefined && parsed.SANDBOX === 'closed',
      'PAYOUTS: expected manual, because STRIPE_SECRET_KEY is unset and the sandboxes are closed',
    ],
    [
      parsed.MINIMUM_PURCHASE > parsed.MAXIMUM_PURCHASE,
      'MINIMUM_PURCHASE: expected at most MAXIMUM_PURCHASE',
    ],
  ];
  const failed = refusals.filter(([refused]) => refused).map(([, message]) => message);
  if (failed.length > 0) throw new SettingsError(failed.join('\n'));
}

/** What invoices need to show the seller. */
function aboutSeller(parsed: Parsed): [boolean, string][] {
  const { SELLER_NAME, SELLER_ADDRESS, SELLER_TAX_ID, BRAND_NAME } = parsed;
  const printed = { SELLER_NAME, SELLER_ADDRESS: SELLER_ADDRESS?.join(''), SELLER_TAX_ID };
  const shown = Object.entries(SELLER_NAME === undefined ? printed : { ...printed, BRAND_NAME });
  return [
    [
      (SELLER_NAME === undefined) !== (SELLER_ADDRESS === undefined),
      'SELLER_NAME, SELLER_ADDRESS: expected both or neither, because invoices need both',
    ],
    [
      SELLER_TAX_ID !== undefined && SELLER_NAME === undefined,
      'SELLER_TAX_ID: expected to be unset, because SELLER_NAME is unset and there are no invoices',
    ],
    ...shown.map(([name, text = '']): [boolean, string] => {
      const missing = findUnprintable(text);
      return [
        missing !== null,
        `${name}: expected Latin, Greek or Cyrillic letters, because invoices cannot show “${missing}”`,
      ];
    }),
  ];
}

/** What signing in with an issuer needs. */
function aboutIssuers(parsed: Parsed): [boolean, string][] {
  const { OIDC_ISSUER: issuer } = parsed;
  const groups = [
    ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
    ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
    ['MICROSOFT_CLIENT_ID', 'MICROSOFT_CLIENT_SECRET'],
    ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ] as const;
  const restricts = parsed.OIDC_OPERATORS || parsed.OIDC_DOMAINS.length + parsed.OIDC_GROUPS.length > 0;
  return [
    ...groups.map((names): [boolean, string] => [
      new Set(names.map((name) => parsed[name] === undefined)).size > 1,
      `${names.join(', ')}: expected all or none, because signing in needs all`,
    ]),
    [
      restricts && issuer === undefined,
      'OIDC_DOMAINS, OIDC_GROUPS, OIDC_OPERATORS: expected to be unset, because OIDC_ISSUER is unset',
    ],
    [
      issuer !== undefined && isPlainHttp(issuer) && isRealUrl(issuer),
      'OIDC_ISSUER: expected an https:// address',
    ],
  ];
}

/** What a live Stripe key does not go with. */
function withLiveKey(parsed: Parsed): [boolean, string][] {
  if (!hasLiveKey(parsed)) return [];
  const because = 'because STRIPE_SECRET_KEY is a live key';
  const codeLimits = [
    parsed.LIMIT_CODES_PER_EMAIL_PER_HOUR,
    parsed.LIMIT_CODES_PER_ADDRESS_PER_HOUR,
    parsed.LIMIT_CODES_PER_APP_PER_HOUR,
    parsed.LIMIT_CODE_RESEND_SECONDS,
  ];
  // Without a BASE_URL the service is at http://localhost, and the checkout is below BASE_URL.
  const { BASE_URL = 'http://localhost', CHECKOUT_URL = BASE_URL } = parsed;
  return [
    [parsed.STRIPE_API_BASE !== undefined, `STRIPE_API_BASE: expected to be unset, ${because}`],
    [parsed.SANDBOX === 'open', `SANDBOX: expected to be unset, ${because}`],
    [codeLimits.includes(0), `LIMIT_CODE…: expected above 0, ${because}`],
    [parsed.WEBHOOK_ALLOW_LOOPBACK, `WEBHOOK_ALLOW_LOOPBACK: expected to be unset, ${because}`],
    [isPlainHttp(BASE_URL), `BASE_URL: expected an https:// address, ${because}`],
    [
      isPlainHttp(CHECKOUT_URL) && CHECKOUT_URL !== BASE_URL,
      `CHECKOUT_URL: expected an https:// address, ${because}`,
    ],
  ];
}

/** What any Stripe key needs next to it. */
function withStripeKey(parsed: Parsed): [boolean, string][] {
  const { STRIPE_SECRET_KEY: key, STRIPE_PUBLISHABLE_KEY: publishable } = parsed;
  if (key === undefined) return [];
  const mode = hasLiveKey(parsed) ? 'live' : 'test';
  return [
    [
      publishable !== undefined && !publishable.startsWith(`pk_${mode}_`),
      `STRIPE_PUBLISHABLE_KEY: expected a ${mode} key (pk_${mode}_…), because STRIPE_SECRET_KEY is a ${mode} key`,
    ],
    [
      parsed.STRIPE_WEBHOOK_SECRET === undefined,
      'STRIPE_WEBHOOK_SECRET: expected the signing secret of the webhook endpoint, because STRIPE_SECRET_KEY is set',
    ],
    [
      parsed.STRIPE_API_BASE === undefined && publishable === undefined,
      'STRIPE_PUBLISHABLE_KEY: expected the key that belongs to STRIPE_SECRET_KEY, because our page shows the payment form',
    ],
  ];
}

const isPlainHttp = (url: string): boolean => url.toLowerCase().startsWith('http:');

const hasLiveKey = ({ STRIPE_SECRET_KEY }: Parsed): boolean => LIVE_STRIPE_KEY.test(STRIPE_SECRET_KEY ?? '');

const trimSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '');

/** A secret from a variable that the operator named: the key of their own provider. */
export function readSecret(variable: string): string | undefined {
  return process.env[variable] || undefined;
}

/** Undefined unless this process is one of several INSTANCES. Known before the settings are. */
export const instanceNumber = (): string | undefined => process.env.INSTANCE_NUMBER || undefined;

let current: Settings | undefined;

/** The settings of this process, read and validated on the first call. */
export function settings(): Settings {
  current ??= readSettings(process.env);
  return current;
}

/** The installation's secret. The process generates it once when AUTH_SECRET is unset. */
export const authSecret = (): string => authSecrets()[0];

/** The installation's secret, and the one that is accepted as well while it is being replaced. */
export function authSecrets(given: Settings = settings()): readonly [string, ...string[]] {
  const { AUTH_SECRET, AUTH_SECRET_PREVIOUS } = given;
  if (AUTH_SECRET === undefined)
    throw new SettingsError('AUTH_SECRET: expected to be set by the process at start');
  return AUTH_SECRET_PREVIOUS === undefined ? [AUTH_SECRET] : [AUTH_SECRET, AUTH_SECRET_PREVIOUS];
}

/** Whether the sandboxes are closed, because something here is real. */
export function isLive(): boolean {
  return settings().SANDBOX === 'closed';
}
