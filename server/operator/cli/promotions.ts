import { findPartnerByKey } from '../../partners/partner';
import { requireCreditAmount } from '../change-credits';
import { createGiftLinks, createPromotion, type NewPromotion } from '../promotions';
import { COMMAND_LINE, NO_REASON } from '../record';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';

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
  'promotions links': {
    usage: 'promotions links ID --count N [--reason R]',
    summary: 'create gift links and print them as CSV; they are stored nowhere',
    arguments: ['ID'],
    options: { count: 'text', reason: 'text' },
    needs: 'schema',
    run: links,
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

async function links(input: CommandInput): Promise<Outcome> {
  input.require('count');
  const count = readNumber(input, 'count') ?? 0;
  const created = await createGiftLinks(askedBy(input), { promotionId: input.require('ID'), count });
  return {
    json: created,
    text: ['code,link', ...created.map(({ code, link }) => `${code},${link}`)].join('\n'),
  };
}
