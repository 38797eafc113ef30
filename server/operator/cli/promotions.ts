import { creditsToJson, formatCredits } from '../../base/credits';
import { findPartnerByKey } from '../../partners/partner';
import { requireCreditAmount } from '../change-credits';
import {
  createGiftLinks,
  createPromotion,
  disablePromotion,
  type ListedPromotion,
  listPromotions,
  type NewPromotion,
} from '../promotions';
import { COMMAND_LINE, NO_REASON } from '../record';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { alignColumns } from './output';

export const promotionCommands: Readonly<Record<string, Command>> = {
  'promotions create': {
    usage:
      'promotions create (--code CODE (--credits N | --percent P [--max-credits N]) [--min-purchase N] [--first-purchase] | --gift --credits N) [--app PK] [--limit N] [--per-user N] [--budget N] [--from DATE] [--until DATE] [--note TEXT] [--reason R]',
    summary: 'create a promotion code for purchases, or gifts; amounts are in credits',
    options: {
      code: 'text',
      gift: 'flag',
      credits: 'text',
      percent: 'text',
      'max-credits': 'text',
      'min-purchase': 'text',
      'first-purchase': 'flag',
      app: 'text',
      limit: 'text',
      'per-user': 'text',
      budget: 'text',
      from: 'text',
      until: 'text',
      note: 'text',
      reason: 'text',
    },
    needs: 'schema',
    run: create,
  },
  'promotions list': {
    usage: 'promotions list',
    summary: 'list the newest promotions with their redemptions and limits',
    needs: 'schema',
    run: list,
  },
  'promotions links': {
    usage: 'promotions links ID --count N [--reason R]',
    summary: 'create gift links and print them as CSV; they are stored nowhere',
    arguments: ['ID'],
    options: { count: 'text', reason: 'text' },
    needs: 'schema',
    run: links,
  },
  'promotions disable': {
    usage: 'promotions disable ID [--reason R]',
    summary: 'end a promotion; payments in progress keep their bonus',
    arguments: ['ID'],
    options: { reason: 'text' },
    needs: 'schema',
    run: disable,
  },
};

const askedBy = (input: CommandInput) => ({
  operator: COMMAND_LINE,
  reason: input.find('reason') ?? NO_REASON,
});

async function create(input: CommandInput): Promise<Outcome> {
  const credits = (name: string) => {
    const text = input.find(name);
    return text === undefined ? undefined : requireCreditAmount(text);
  };
  const offer: NewPromotion = {
    kind: input.has('gift') ? 'gift' : 'purchase',
    code: input.find('code'),
    partnerId: await findApp(input.find('app')),
    credits: credits('credits'),
    percent: readNumber(input, 'percent'),
    maxCredits: credits('max-credits'),
    minPurchase: credits('min-purchase'),
    isFirstPurchase: input.has('first-purchase'),
    maxRedemptions: readNumber(input, 'limit'),
    maxPerUser: readNumber(input, 'per-user'),
    budget: credits('budget'),
    validFrom: readDate(input, 'from'),
    validUntil: readDate(input, 'until'),
    note: input.find('note'),
  };
  const { id, kind, code } = await createPromotion(askedBy(input), offer);
  const next = kind === 'gift' ? ` Create its links: npm run svc -- promotions links ${id} --count 10` : '';
  return { json: { promotion_id: id, kind, code }, text: `Created ${code ?? 'gift'} (${id}).${next}` };
}

async function findApp(publishableKey: string | undefined): Promise<string | undefined> {
  if (publishableKey === undefined) return undefined;
  const app = await findPartnerByKey(publishableKey);
  if (app === null) throw new CommandRefused(`Unknown partner ${publishableKey}`);
  return app.id;
}

function readNumber(input: CommandInput, name: string): number | undefined {
  const text = input.find(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new CommandRefused(`Invalid --${name} "${text}": expected a whole number`);
  return Number(text);
}

function readDate(input: CommandInput, name: string): Date | undefined {
  const text = input.find(name);
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new CommandRefused(`Invalid --${name} "${text}": expected a date such as 2026-12-01`);
  return date;
}

async function list(): Promise<Outcome> {
  const { promotions, total } = await listPromotions();
  return {
    json: { promotions: promotions.map(toJson), total },
    text: alignColumns([
      ['promotion', 'code', 'gives', 'app', 'redeemed', 'credits given', 'reserved', 'state'],
      ...promotions.map((promotion) => [
        promotion.id,
        promotion.code ?? `gift, ${promotion.links} links`,
        promotion.percent === null ? formatCredits(promotion.credits ?? 0n) : `${promotion.percent}%`,
        promotion.appName ?? 'any',
        `${promotion.redeemed - promotion.reserved.redemptions}/${promotion.maxRedemptions ?? '∞'}`,
        `${formatCredits(promotion.given - promotion.reserved.credits)}/${promotion.budget === null ? '∞' : formatCredits(promotion.budget)}`,
        `${promotion.reserved.redemptions}, ${formatCredits(promotion.reserved.credits)}`,
        promotion.state,
      ]),
    ]),
  };
}

const toJson = (promotion: ListedPromotion) => ({
  promotion_id: promotion.id,
  kind: promotion.kind,
  code: promotion.code,
  partner_id: promotion.partnerId,
  credits: promotion.credits === null ? null : creditsToJson(promotion.credits),
  percent: promotion.percent,
  links: promotion.links,
  redeemed: promotion.redeemed - promotion.reserved.redemptions,
  reserved: promotion.reserved.redemptions,
  max_redemptions: promotion.maxRedemptions,
  given: creditsToJson(promotion.given - promotion.reserved.credits),
  reserved_credits: creditsToJson(promotion.reserved.credits),
  budget: promotion.budget === null ? null : creditsToJson(promotion.budget),
  state: promotion.state,
});

async function links(input: CommandInput): Promise<Outcome> {
  input.require('count');
  const count = readNumber(input, 'count') ?? 0;
  const created = await createGiftLinks(askedBy(input), { promotionId: input.require('ID'), count });
  return {
    json: created,
    text: ['code,link', ...created.map(({ code, link }) => `${code},${link}`)].join('\n'),
  };
}

async function disable(input: CommandInput): Promise<Outcome> {
  const id = input.require('ID');
  await disablePromotion(askedBy(input), id);
  return { json: { promotion_id: id, state: 'disabled' }, text: `Disabled ${id}.` };
}
