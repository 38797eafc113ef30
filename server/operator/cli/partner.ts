import { findCatalogModel } from '../../gateway/pricing/catalog';
import { parseOrigin } from '../../partners/origin-rules';
import {
  findPartner,
  findPartnerByKey,
  listOrigins,
  listPartners,
  type Partner,
  stateOf,
} from '../../partners/partner';
import { formatPercent, parsePercent } from '../../partners/rate';
import { listRedirects } from '../../partners/redirects';
import { findOwner } from '../../partners/teams';
import { describeLimits, readAppLimits } from '../../partners/user-limits';
import { clearEndpoint, setEndpoint } from '../../partners/webhooks/endpoint';
import { revealSecret } from '../../partners/webhooks/signing-secret';
import { normaliseEmail } from '../../people/email';
import { changePartner, createPartnerAs, type PartnerChange, recordWebhookChange } from '../change-partner';
import { COMMAND_LINE, NO_REASON } from '../record';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { alignColumns, alignFacts } from './output';

export const partnerCommands: Readonly<Record<string, Command>> = {
  'partner create': {
    usage: 'partner create --name N --rate PERCENT [--origin O]… [--owner EMAIL] [--reason R]',
    summary: 'create a partner',
    options: { name: 'text', rate: 'text', origin: 'list', owner: 'text', reason: 'text' },
    needs: 'schema',
    run: create,
  },
  'partner list': { usage: 'partner list', summary: 'list all partners', needs: 'schema', run: list },
  'partner show': {
    usage: 'partner show PK',
    summary: 'show one partner',
    arguments: ['PK'],
    needs: 'schema',
    run: show,
  },
  'partner disable': {
    usage: 'partner disable PK [--reason R]',
    options: { reason: 'text' },
    summary: 'disable a partner and suspend its keys',
    arguments: ['PK'],
    needs: 'schema',
    run: (input) => change(input, ({ id }) => apply(input, id, { do: 'disable' })),
  },
  'partner enable': {
    usage: 'partner enable PK [--reason R]',
    options: { reason: 'text' },
    summary: 'enable a partner and its keys; approves a pending sign-up',
    arguments: ['PK'],
    needs: 'schema',
    run: (input) => change(input, ({ id }) => apply(input, id, { do: 'enable' })),
  },
  'partner set-rate': {
    usage: 'partner set-rate PK PERCENT [--from TIME] [--reason R]',
    summary:
      'set the commission on provider cost: 0 to 100, up to two decimals; takes effect now or at an ISO 8601 time',
    arguments: ['PK', 'PERCENT'],
    options: { from: 'text', reason: 'text' },
    needs: 'schema',
    run: (input) => {
      const rateBp = readRate(input.require('PERCENT'));
      const from = readTime(input.find('from'));
      return change(input, ({ id }) => apply(input, id, { do: 'rate', rateBp, from }));
    },
  },
  'partner rotate-key': {
    usage: 'partner rotate-key PK [--reason R]',
    options: { reason: 'text' },
    summary: 'create a new publishable key; the old one works for 24 hours',
    arguments: ['PK'],
    needs: 'schema',
    run: (input) => change(input, ({ id }) => apply(input, id, { do: 'key' })),
  },
  'partner owner': {
    usage: 'partner owner PK EMAIL [--reason R]',
    options: { reason: 'text' },
    summary: 'move it to the team of this owner',
    arguments: ['PK', 'EMAIL'],
    needs: 'schema',
    run: (input) => {
      const ownerEmail = readOwner(input.require('EMAIL'));
      return change(input, ({ id }) => apply(input, id, { do: 'owner', ownerEmail }));
    },
  },
  'partner origins': {
    usage: 'partner origins PK --add O | --remove O [--reason R]',
    summary: 'change which origins may open its checkout',
    arguments: ['PK'],
    options: { add: 'list', remove: 'list', reason: 'text' },
    needs: 'schema',
    run: (input) => changeList(input, 'origins'),
  },
  'partner redirects': {
    usage: 'partner redirects PK --add URI | --remove URI [--reason R]',
    summary: 'change where a sign-in by redirect may return to',
    arguments: ['PK'],
    options: { add: 'list', remove: 'list', reason: 'text' },
    needs: 'schema',
    run: (input) => changeList(input, 'redirects'),
  },
  'partner models': {
    usage: 'partner models PK --allow ID,ID | --all [--reason R]',
    summary: 'set which models it may use',
    arguments: ['PK'],
    options: { allow: 'text', all: 'flag', reason: 'text' },
    needs: 'schema',
    run: changeModels,
  },
  'partner webhook': {
    usage: 'partner webhook PK --url U | --clear [--reason R]',
    summary: 'set the endpoint for its webhooks; shows the signing secret',
    arguments: ['PK'],
    options: { url: 'text', clear: 'flag', reason: 'text' },
    needs: 'schema',
    run: changeWebhook,
  },
};

async function create(input: CommandInput): Promise<Outcome> {
  const origins = input.list('origin');
  const owner = input.find('owner');
  const partner = await createPartnerAs(COMMAND_LINE, reasonOf(input), {
    name: input.require('name'),
    rateBp: readRate(input.require('rate')),
    origins,
    ownerEmail: owner === undefined ? undefined : readOwner(owner),
  });
  return {
    json: { partner_id: partner.id, publishable_key: partner.publishableKey },
    text: alignFacts({ 'partner id': partner.id, 'publishable key': partner.publishableKey }),
    warnings: origins.flatMap(warningsOf),
  };
}

async function list(): Promise<Outcome> {
  const partners = await listPartners();
  const described = await Promise.all(partners.map(describe));
  const rows = partners.map((partner) => [
    partner.publishableKey,
    `${formatPercent(partner.rateBp)} %`,
    stateOf(partner),
    partner.name,
  ]);
  return { json: described, text: rows.length === 0 ? 'No partners yet.' : alignColumns(rows) };
}

async function show(input: CommandInput): Promise<Outcome> {
  return report(await requirePartnerOf(input));
}

async function change(input: CommandInput, work: (partner: Partner) => Promise<void>): Promise<Outcome> {
  const partner = await requirePartnerOf(input);
  await work(partner);
  return report((await findPartner(partner.id)) ?? partner);
}

async function changeList(input: CommandInput, list: 'origins' | 'redirects'): Promise<Outcome> {
  const [added, removed] = [input.list('add'), input.list('remove')];
  if (added.length + removed.length === 0)
    throw new CommandRefused(`Missing --add or --remove. Usage: ${input.usage}`);
  const outcome = await change(input, ({ id }) =>
    apply(input, id, { do: list, add: added, remove: removed }),
  );
  return list === 'origins' ? { ...outcome, warnings: added.flatMap(warningsOf) } : outcome;
}

/** The same change as in the operator console, with the same audit entry. */
function apply(input: CommandInput, partnerId: string, change: PartnerChange): Promise<void> {
  return changePartner({ operator: COMMAND_LINE, partnerId, reason: reasonOf(input), change });
}

const reasonOf = (input: CommandInput): string => input.find('reason') ?? NO_REASON;

function changeModels(input: CommandInput): Promise<Outcome> {
  const allow = input.find('allow');
  if ((allow === undefined) !== input.has('all'))
    throw new CommandRefused(`Use either --allow or --all. Usage: ${input.usage}`);
  const models = allow === undefined ? null : readModels(allow);
  return change(input, ({ id }) => apply(input, id, { do: 'models', models }));
}

function readModels(text: string): string[] {
  const models = [...new Set(text.split(',').map((id) => id.trim()))];
  const unknown = models.find((id) => findCatalogModel(id) === null);
  if (unknown !== undefined)
    throw new CommandRefused(`Unknown model "${unknown}". See: npm run svc -- models list`);
  return models;
}

async function changeWebhook(input: CommandInput): Promise<Outcome> {
  const url = input.find('url');
  if ((url === undefined) !== input.has('clear'))
    throw new CommandRefused(`Use either --url or --clear. Usage: ${input.usage}`);
  const { id } = await requirePartnerOf(input);
  return recordWebhookChange({ operator: COMMAND_LINE, partnerId: id, reason: reasonOf(input) }, () =>
    url === undefined ? clearWebhook(id) : setWebhook(id, url),
  );
}

async function setWebhook(partnerId: string, url: string): Promise<Outcome> {
  const set = await setEndpoint(partnerId, url, 'operator');
  if (!set.ok) throw new CommandRefused(`--url: ${set.message}`);
  return {
    json: { url: set.url, signing_secret: set.secret },
    text: alignFacts({ webhook: set.url, 'signing secret': set.secret }),
    warnings: set.warning === null ? [] : [set.warning],
  };
}

async function clearWebhook(partnerId: string): Promise<Outcome> {
  await clearEndpoint(partnerId);
  const secrets = await revealSecret(partnerId);
  return {
    json: { url: null, signing_secret: secrets?.secret ?? null },
    text: 'Endpoint cleared. Pending events are not delivered. The signing secret is kept.',
  };
}

async function requirePartnerOf(input: CommandInput): Promise<Partner> {
  const name = input.require('PK');
  const partner = (await findPartnerByKey(name)) ?? (await findPartner(name));
  if (partner === null) throw new CommandRefused(`Unknown partner ${name}`);
  return partner;
}

async function report(partner: Partner): Promise<Outcome> {
  const facts = await describe(partner);
  return {
    json: facts,
    text: alignFacts({
      name: facts.name,
      'partner id': facts.partner_id,
      'publishable key': facts.publishable_key,
      rate: `${formatPercent(partner.rateBp)} %`,
      maximum: `${formatPercent(partner.rateCapBp)} %`,
      state: facts.paused ? `${facts.state}, paused for review` : facts.state,
      origins: facts.origins.join(', ') || 'none (localhost is always allowed)',
      redirects: facts.redirects.join(', ') || 'none',
      models: facts.models?.join(', ') ?? 'all',
      'user limits': facts.user_limits ?? 'none',
      'limit ceiling': facts.limit_ceiling ?? 'none',
      owner: facts.owner ?? 'none',
      webhook: facts.webhook_url ?? 'none',
    }),
  };
}

async function describe(partner: Partner) {
  const { own, ceiling } = await readAppLimits(partner.id);
  return {
    partner_id: partner.id,
    publishable_key: partner.publishableKey,
    name: partner.name,
    rate: Number(formatPercent(partner.rateBp)),
    rate_cap: Number(formatPercent(partner.rateCapBp)),
    disabled: partner.disabledAt !== null,
    state: stateOf(partner),
    paused: partner.pausedAt !== null,
    origins: await listOrigins(partner.id),
    redirects: await listRedirects(partner.id),
    /** Null: all. */
    models: partner.allModels ? null : partner.allowedModels,
    /** In words; null for none. */
    user_limits: own && describeLimits(own),
    limit_ceiling: ceiling && describeLimits(ceiling),
    owner: await findOwner(partner),
    webhook_url: partner.webhookUrl,
    created_at: partner.createdAt.toISOString(),
  };
}

function readRate(text: string): number {
  const rateBp = parsePercent(text);
  if (rateBp === null)
    throw new CommandRefused(
      `Invalid rate "${text}": expected a percentage between 0 and 100 with up to two decimals`,
    );
  return rateBp;
}

function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new CommandRefused(`Invalid time "${text}": expected a time such as 2027-01-31T00:00Z`);
  return time;
}

function readOwner(text: string): string {
  const owner = normaliseEmail(text);
  if (!owner.ok) throw new CommandRefused(`Invalid e-mail address "${text}"`);
  return owner.email;
}

function warningsOf(text: string): string[] {
  const parsed = parseOrigin(text);
  return parsed.ok && parsed.warning !== undefined ? [parsed.warning] : [];
}
