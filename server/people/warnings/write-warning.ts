import type { WarningMail } from '../../../prisma/client/client';
import type { Language } from '../../../texts/languages';
import { joinSentences } from '../../../texts/say';
import { writeAccountMail } from '../../base/account-mail';
import { DAY_MS, now } from '../../base/clock';
import { prisma, querySlowly } from '../../base/db';
import { settings } from '../../base/env';
import type { Mail } from '../../base/mail';
import { countAmount, mailWords, showAmount, showPercent } from '../../base/mail-words';
import type { WarningKind } from '../../base/unsubscribe-link';
import { writeDay } from '../../base/write-date';
import { ALL_APPS } from '../../ledger';
import { findPartner } from '../../partners/partner';
import { listRaises } from '../../partners/rates';
import { nameInMails } from '../../partners/rename';
import { readWarningChoices } from './choice';
import type { BoughtDetail, LimitDetail, UnusualDetail, WeeklyDetail } from './note';
import { showTime } from './show';

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

/** Null if the user has turned it off since, or it is no longer true. */
export async function writeWarning(
  warning: WarningMail,
  language: Language,
): Promise<Omit<Mail, 'to'> | null> {
  const { userId } = warning;
  const kind = CHOICES[warning.kind];
  if (kind === undefined || !(await readWarningChoices(userId))[kind]) return null;
  const show = showIn(language);
  const text = await writeText(warning, show);
  if (text === null) return null;
  const { because, choose } = show.words.warning;
  return writeAccountMail({
    ...text,
    language,
    note: because[kind]({ brand: settings().BRAND_NAME }),
    further: { label: choose, path: '/account/limits#mails' },
    stops: { userId, partnerId: appOf(warning) },
    ends: { userId, kind },
  });
}

/** What a mail shows, as its language writes it. */
function showIn(language: Language) {
  const words = mailWords(language);
  const count = (amount: bigint) => countAmount(amount, language);
  return {
    language,
    words,
    count,
    amount: (amount: bigint) => showAmount(amount, language),
    percent: (percent: number) => showPercent(percent, language),
    day: (at: Date) => writeDay(at, { language }),
    time: (at: Date, timeZone: string) => showTime(at, timeZone, language),
  };
}

type Show = ReturnType<typeof showIn>;

/** The app that a warning is about. */
function appOf({ kind, detail }: WarningMail): string | undefined {
  const { partnerId } = detail as Partial<LimitDetail>;
  return kind === 'limit' && partnerId !== ALL_APPS ? partnerId : undefined;
}

async function writeText(
  { userId, kind, percent, detail }: WarningMail,
  show: Show,
): Promise<MailText | null> {
  switch (kind) {
    case 'limit':
      return writeLimit({ userId, percent, ...(detail as LimitDetail) }, show);
    case 'bought':
      return writeBought(percent, detail as BoughtDetail, show);
    case 'unusual':
      return writeUnusual(detail as UnusualDetail, show);
    default:
      return writeWeekly(userId, detail as WeeklyDetail, show);
  }
}

/** Null once the period has ended. */
async function writeLimit(
  { userId, percent, ...detail }: LimitDetail & { userId: string; percent: number },
  show: Show,
): Promise<MailText | null> {
  const { partnerId } = detail;
  const resetsAt = new Date(detail.resetsAt);
  if (resetsAt.getTime() <= now()) return null;
  const say = show.words.warning;
  const wallet = await prisma().wallet.findUnique({ where: { userId }, select: { limitsZone: true } });
  const time = show.time(resetsAt, wallet?.limitsZone ?? 'UTC');
  const limit = await nameLimit(detail, say);
  const spent = say.limitSpent({
    used: show.amount(BigInt(detail.spent)),
    count: show.count(BigInt(detail.most)),
    limit,
  });
  const link = {
    label: say.showLimits,
    path: partnerId === ALL_APPS ? '/account/limits' : `/account/apps/${partnerId}#limits`,
  };
  if (percent < 100)
    return {
      subject: say.limitUsed({ percent: show.percent(percent), limit }),
      paragraphs: [joinSentences(show.language, [spent, say.resets({ time })])],
      link,
    };
  return {
    subject: say.limitReached({ limit }),
    paragraphs: [
      joinSentences(show.language, [spent, say.tooSmall]),
      (detail.isOfApp ? say.refusedOfApp : say.refusedOwn)({ time }),
    ],
    link,
  };
}

async function nameLimit(
  { partnerId, period, isOfApp }: LimitDetail,
  say: Show['words']['warning'],
): Promise<string> {
  if (partnerId === ALL_APPS) return say.limit[period].all;
  return say.limit[period][isOfApp ? 'partner' : 'app']({ app: (await nameApp(partnerId)) ?? say.anApp });
}

async function nameApp(partnerId: string): Promise<string | null> {
  const partner = await findPartner(partnerId);
  return partner && nameInMails(partner);
}

function writeBought(percent: number, { boughtAt, spent, left }: BoughtDetail, show: Show): MailText {
  const say = show.words.warning;
  const since = say.sincePurchase({
    date: show.day(new Date(boughtAt)),
    used: show.amount(BigInt(spent)),
    count: show.count(BigInt(spent) + BigInt(left)),
  });
  const link = { label: show.words.buyCredits, path: '/account/buy' };
  if (percent === 100) return { subject: say.usedUp, paragraphs: [since, say.usedUpText], link };
  return {
    subject: say.spentPercent({ percent: show.percent(percent) }),
    paragraphs: [since, say.left({ count: show.count(BigInt(left)) })],
    link,
  };
}

function writeUnusual({ day, today, usualFrom, usualTo }: UnusualDetail, show: Show): MailText {
  const say = show.words.warning;
  const [from, to] = [show.amount(BigInt(usualFrom)), show.amount(BigInt(usualTo))];
  const count = show.count(BigInt(today));
  return {
    subject: say.unusualSubject({ count }),
    paragraphs: [
      say.unusualText({ count, usual: from === to ? from : say.unusualRange({ from, to }) }),
      say.unusualDay({ date: show.day(new Date(day)) }),
      say.unusualAdvice,
    ],
    link: { label: show.words.showActivity, path: '/account/activity' },
  };
}

type AppWeek = { partnerId: string; spent: bigint; before: bigint };

/** Null for a week without use. */
async function writeWeekly(userId: string, detail: WeeklyDetail, show: Show): Promise<MailText | null> {
  const apps = await readWeek(userId, detail);
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const total = sum(apps.map(({ spent }) => spent));
  if (total === 0n) return null;
  const wallet = await prisma().wallet.findUniqueOrThrow({ where: { userId } });
  const first = new Date(detail.day);
  const last = new Date(first.getTime() + 6 * DAY_MS);
  const say = show.words.warning;
  const before = sum(apps.map((app) => app.before));
  return {
    subject: say.weekSubject({ count: show.count(total) }),
    paragraphs: [
      say.weekText({
        from: show.day(first),
        to: show.day(last),
        count: show.count(total),
        comparison: compare(total, before, show),
      }),
      ...(await describeApps(apps, show)),
      ...(await describeRaises(apps, new Date(detail.from), show)),
      say.left({ count: show.count(wallet.money > 0n ? wallet.money : 0n) }),
    ],
    link: { label: show.words.showActivity, path: '/account/activity' },
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
async function describeApps(apps: AppWeek[], show: Show): Promise<string[]> {
  const say = show.words.warning;
  const lines = new Map<string, { spent: bigint; before: bigint }>();
  for (const { partnerId, spent, before } of apps.filter((app) => app.spent > 0n)) {
    const name = (await nameApp(partnerId)) ?? say.unnamedApps;
    const line = lines.get(name) ?? { spent: 0n, before: 0n };
    lines.set(name, { spent: line.spent + spent, before: line.before + before });
  }
  return [...lines].map(([app, { spent, before }]) =>
    say.weekApp({ app, count: show.count(spent), comparison: compare(spent, before, show) }),
  );
}

async function describeRaises(apps: AppWeek[], since: Date, show: Show): Promise<string[]> {
  const say = show.words.warning;
  const raises = await listRaises(
    apps.map(({ partnerId }) => partnerId),
    since,
  );
  const lines = raises.map(async ({ partnerId, fromBp, toBp, at }) => {
    const app = (await nameApp(partnerId)) ?? say.unnamedApp;
    const [from, to] = [show.percent(fromBp / 100), show.percent(toBp / 100)];
    return (at.getTime() > now() ? say.willRaise : say.raised)({ app, from, to, date: show.day(at) });
  });
  return Promise.all(lines);
}

function compare(spent: bigint, before: bigint, show: Show): string {
  const say = show.words.warning;
  if (before === 0n) return say.nothingBefore;
  if (spent === before) return say.sameAsBefore;
  return spent > before
    ? say.moreThanBefore({ amount: show.amount(spent - before) })
    : say.fewerThanBefore({ amount: show.amount(before - spent) });
}
