import type { WarningMail } from '../../../prisma/client/client';
import { writeAccountMail } from '../../base/account-mail';
import { DAY_MS, now } from '../../base/clock';
import { prisma, querySlowly } from '../../base/db';
import { settings } from '../../base/env';
import type { Mail } from '../../base/mail';
import type { WarningKind } from '../../base/unsubscribe-link';
import { writeDay } from '../../base/write-date';
import { ALL_APPS } from '../../ledger';
import { findPartner } from '../../partners/partner';
import { formatPercent } from '../../partners/rate';
import { listRaises } from '../../partners/rates';
import { nameInMails } from '../../partners/rename';
import { readWarningChoices } from './choice';
import type { BoughtDetail, LimitDetail, UnusualDetail, WeeklyDetail } from './note';
import { showAmount, showCredits, showTime } from './show';

/** The mails about a user's own spending. They name an app only if an operator approved its name. */

type MailText = {
  subject: string;
  paragraphs: string[];
  link: { label: string; path: string };
};

const CHOICES: Readonly<Record<string, WarningKind>> = {
  limit: 'limits',
  bought: 'limits',
  unusual: 'unusual',
  weekly: 'weekly',
};

const WHY: Record<WarningKind, string> = {
  limits: 'at 50, 80 and 100% of your limits and of what you bought',
  unusual: 'about unusual spending, at most once a day',
  weekly: 'with a summary of each week in which you used an app',
};

/** Null if the user has turned it off since, or it is no longer true. */
export async function writeWarning(warning: WarningMail): Promise<Omit<Mail, 'to'> | null> {
  const { userId } = warning;
  const kind = CHOICES[warning.kind];
  if (kind === undefined || !(await readWarningChoices(userId))[kind]) return null;
  const words = await writeWords(warning);
  if (words === null) return null;
  return writeAccountMail({
    ...words,
    note: `You are receiving this e-mail because you asked ${settings().BRAND_NAME} for e-mails ${WHY[kind]}.`,
    further: { label: 'Choose which e-mails you get', path: '/account/limits#mails' },
    stops: { userId, partnerId: appOf(warning) },
    ends: { userId, kind },
  });
}

/** The app that a warning is about. */
function appOf({ kind, detail }: WarningMail): string | undefined {
  const { partnerId } = detail as Partial<LimitDetail>;
  return kind === 'limit' && partnerId !== ALL_APPS ? partnerId : undefined;
}

async function writeWords({ userId, kind, percent, detail }: WarningMail): Promise<MailText | null> {
  switch (kind) {
    case 'limit':
      return writeLimit(userId, percent, detail as LimitDetail);
    case 'bought':
      return writeBought(percent, detail as BoughtDetail);
    case 'unusual':
      return writeUnusual(detail as UnusualDetail);
    default:
      return writeWeekly(userId, detail as WeeklyDetail);
  }
}

/** Null once the period has ended. */
async function writeLimit(userId: string, percent: number, detail: LimitDetail): Promise<MailText | null> {
  const { partnerId } = detail;
  const resetsAt = new Date(detail.resetsAt);
  if (resetsAt.getTime() <= now()) return null;
  const isForAll = partnerId === ALL_APPS;
  const app = isForAll ? 'all apps' : ((await nameApp(partnerId)) ?? 'an app');
  const wallet = await prisma().wallet.findUnique({ where: { userId }, select: { limitsZone: true } });
  const reset = showTime(resetsAt, wallet?.limitsZone ?? 'UTC');
  const which = nameLimit(detail, app);
  const used = `${showAmount(BigInt(detail.spent))} of the ${showCredits(BigInt(detail.most))} of ${which}${isForAll ? ' together' : ''}`;
  const link = {
    label: 'Show your limits',
    path: isForAll ? '/account/limits' : `/account/apps/${partnerId}#limits`,
  };
  if (percent === 100)
    return {
      subject: `You have reached ${which}`,
      paragraphs: [
        `You have spent ${used}. The remaining amount is too small for another request.`,
        `Requests are refused until the limit resets on ${reset}${detail.isOfApp ? '. Only the app can change it' : ', or until you raise it'}.`,
      ],
      link,
    };
  return {
    subject: `You have used ${percent}% of ${which}`,
    paragraphs: [`You have spent ${used}. It resets on ${reset}.`],
    link,
  };
}

const nameLimit = ({ period, isOfApp }: LimitDetail, app: string): string =>
  isOfApp ? `the limit per ${period} that ${app} sets for you` : `your limit per ${period} for ${app}`;

async function nameApp(partnerId: string): Promise<string | null> {
  const partner = await findPartner(partnerId);
  return partner && nameInMails(partner);
}

function writeBought(percent: number, { boughtAt, spent, left }: BoughtDetail): MailText {
  const had = BigInt(spent) + BigInt(left);
  const since = `Since your last purchase on ${writeDay(new Date(boughtAt))} you have spent ${showAmount(BigInt(spent))} of the ${showCredits(had)} that you had then.`;
  const link = { label: 'Buy credits', path: '/account/buy' };
  if (percent === 100)
    return {
      subject: 'Your credits are used up',
      paragraphs: [
        since,
        'The remaining amount is too small for another request, so apps cannot send any more for you.',
      ],
      link,
    };
  return {
    subject: `You have spent ${percent}% of your credits`,
    paragraphs: [since, `You have ${showCredits(BigInt(left))} left.`],
    link,
  };
}

function writeUnusual({ day, today, usualFrom, usualTo }: UnusualDetail): MailText {
  const [from, to] = [showAmount(BigInt(usualFrom)), showAmount(BigInt(usualTo))];
  const usual = from === to ? from : `${from} to ${to}`;
  return {
    subject: `You spent ${showCredits(BigInt(today))} today`,
    paragraphs: [
      `You spent ${showCredits(BigInt(today))} today; on most days you spend ${usual}.`,
      `Today is ${writeDay(new Date(day))} (UTC). We compared it with the days in the last four weeks on which you used an app.`,
      'If this was you, no action is needed. Otherwise, stop all apps with the link below, and revoke the keys of apps that you do not recognise.',
    ],
    link: { label: 'Show your activity', path: '/account/activity' },
  };
}

type AppWeek = { partnerId: string; spent: bigint; before: bigint };

/** Null for a week without use. */
async function writeWeekly(userId: string, detail: WeeklyDetail): Promise<MailText | null> {
  const apps = await readWeek(userId, detail);
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const total = sum(apps.map(({ spent }) => spent));
  if (total === 0n) return null;
  const wallet = await prisma().wallet.findUniqueOrThrow({ where: { userId } });
  const first = new Date(detail.day);
  const last = new Date(first.getTime() + 6 * DAY_MS);
  return {
    subject: `Your week: ${showCredits(total)} spent`,
    paragraphs: [
      `From ${writeDay(first)} to ${writeDay(last)} you spent ${showCredits(total)}, ${compare(total, sum(apps.map(({ before }) => before)))}.`,
      ...(await describeApps(apps)),
      ...(await describeRaises(apps, new Date(detail.from))),
      `You have ${showCredits(wallet.money > 0n ? wallet.money : 0n)} left.`,
    ],
    link: { label: 'Show your activity', path: '/account/activity' },
  };
}

/** By app, the largest first. From receipts, because days in the user's time zone are not those of the daily sums. */
function readWeek(userId: string, { before, from, to }: WeeklyDetail): Promise<AppWeek[]> {
  return querySlowly<AppWeek>(
    `SELECT a.partner_id AS "partnerId", w.spent, w.before
     FROM user_app a CROSS JOIN LATERAL (
       SELECT coalesce(sum(-t.credits) FILTER (WHERE t.created_at >= $3), 0)::bigint AS spent,
              coalesce(sum(-t.credits) FILTER (WHERE t.created_at < $3), 0)::bigint AS before
       FROM ledger_transaction t
       WHERE t.user_id = a.user_id AND t.partner_id = a.partner_id AND t.kind = 'usage'
         AND t.created_at >= $2 AND t.created_at < $4
         AND ledger_slot(t.created_at) >= ledger_slot($2) AND ledger_slot(t.created_at) <= ledger_slot($4)) w
     WHERE a.user_id = $1 ORDER BY w.spent DESC, a.partner_id`,
    [userId, before, from, to],
  );
}

/** Apps without an approved name share a line. */
async function describeApps(apps: AppWeek[]): Promise<string[]> {
  const lines = new Map<string, { spent: bigint; before: bigint }>();
  for (const { partnerId, spent, before } of apps.filter((app) => app.spent > 0n)) {
    const name = (await nameApp(partnerId)) ?? 'Apps whose names are not approved';
    const line = lines.get(name) ?? { spent: 0n, before: 0n };
    lines.set(name, { spent: line.spent + spent, before: line.before + before });
  }
  return [...lines].map(
    ([name, { spent, before }]) => `${name}: ${showCredits(spent)}, ${compare(spent, before)}`,
  );
}

async function describeRaises(apps: AppWeek[], since: Date): Promise<string[]> {
  const raises = await listRaises(
    apps.map(({ partnerId }) => partnerId),
    since,
  );
  const lines = raises.map(async ({ partnerId, fromBp, toBp, at }) => {
    const verb = at.getTime() > now() ? 'will raise' : 'raised';
    const name = (await nameApp(partnerId)) ?? 'An app whose name is not approved';
    return `${name} ${verb} its commission from ${formatPercent(fromBp)}% to ${formatPercent(toBp)}% on ${writeDay(at)} (UTC).`;
  });
  return Promise.all(lines);
}

function compare(spent: bigint, before: bigint): string {
  if (before === 0n) return 'and nothing in the week before';
  if (spent === before) return 'as much as in the week before';
  const difference =
    spent > before ? `${showAmount(spent - before)} more` : `${showAmount(before - spent)} fewer`;
  return `${difference} than in the week before`;
}
