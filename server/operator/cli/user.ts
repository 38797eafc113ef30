import { creditsToJson, formatCredits, type Microcredits } from '../../base/credits';
import { inTransaction } from '../../base/db';
import { newId } from '../../base/ids';
import { findPartnerByKey, type Partner } from '../../partners/partner';
import { normaliseEmail } from '../../people/email';
import { listPasskeys } from '../../people/passkeys';
import { findUserSummary, type UserSummary } from '../../people/user-summary';
import { openUser } from '../../people/users';
import { type CreditChange, giveCredits, requireCreditAmount, takeCreditsAway } from '../change-credits';
import { COMMAND_LINE, NO_REASON } from '../record';
import { removePasskeysAs } from '../remove-passkeys';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { alignColumns, alignFacts } from './output';

export const userCommands: Readonly<Record<string, Command>> = {
  'user show': {
    usage: 'user show EMAIL',
    summary: "show a user's credits and apps",
    arguments: ['EMAIL'],
    needs: 'schema',
    run: show,
  },
  'user grant': {
    usage: 'user grant EMAIL --credits N [--app PK] [--reason R]',
    summary: 'grant credits, in one app or outside any; creates the account if it is new',
    arguments: ['EMAIL'],
    options: { credits: 'text', app: 'text', reason: 'text' },
    needs: 'schema',
    run: grant,
  },
  'user take': {
    usage: 'user take EMAIL --credits N --reason R [--app PK]',
    summary: 'remove credits from one pocket, up to what is free in it',
    arguments: ['EMAIL'],
    options: { credits: 'text', app: 'text', reason: 'text' },
    needs: 'schema',
    run: take,
  },
  'user passkeys': {
    usage: 'user passkeys EMAIL [--remove-all] [--reason R]',
    summary: 'list passkeys, or remove all of them for a user who lost the device',
    arguments: ['EMAIL'],
    options: { 'remove-all': 'flag', reason: 'text' },
    needs: 'schema',
    run: passkeys,
  },
};

async function show(input: CommandInput): Promise<Outcome> {
  const email = readEmail(input);
  const user = await requireUser(input);
  const rows = user.apps.map((app) => [
    app.name,
    formatCredits(app.own),
    app.allowanceLeft === null ? '-' : formatCredits(app.allowanceLeft),
    formatCredits(app.balance),
    String(app.keys.length),
  ]);
  if (user.outsideAnyApp !== null)
    rows.unshift(['outside any app', formatCredits(user.outsideAnyApp), '-', '-', '0']);
  return {
    json: {
      email,
      created_at: user.createdAt.toISOString(),
      credits: creditsToJson(user.money),
      devices: user.devices,
      apps: [
        ...(user.outsideAnyApp === null ? [] : [outsideAnyApp(user.outsideAnyApp)]),
        ...user.apps.map((app) => ({
          partner_id: app.partnerId,
          name: app.name,
          user_id: app.appUserId,
          own: creditsToJson(app.own),
          limit: app.allowanceLeft === null ? null : creditsToJson(app.allowanceLeft),
          balance: creditsToJson(app.balance),
          status: app.status,
          live_keys: app.keys.length,
        })),
      ],
    },
    text: [
      alignFacts({
        email,
        since: user.createdAt.toISOString(),
        credits: formatCredits(user.money),
        devices: String(user.devices),
      }),
      '',
      alignColumns([['app', 'bought in app', 'allowance left', 'can spend', 'keys'], ...rows]),
    ].join('\n'),
  };
}

const outsideAnyApp = (own: Microcredits) => ({
  partner_id: null,
  name: null,
  user_id: null,
  own: creditsToJson(own),
  limit: null,
  balance: null,
  status: null,
  live_keys: 0,
});

async function grant(input: CommandInput): Promise<Outcome> {
  const email = readEmail(input);
  const credits = requireCreditAmount(input.require('credits'));
  const app = await findApp(input.find('app'));
  const { id: userId } = await inTransaction((tx) => openUser(tx, email));
  const { transactionId } = await giveCredits(changeOf(input, { userId, app, credits }));
  return report('Granted', transactionId, credits, app);
}

async function take(input: CommandInput): Promise<Outcome> {
  const user = await requireUser(input);
  const credits = requireCreditAmount(input.require('credits'));
  const app = await findApp(input.find('app'));
  input.require('reason');
  const { transactionId } = await takeCreditsAway(changeOf(input, { userId: user.userId, app, credits }));
  return report('Took', transactionId, credits, app);
}

async function passkeys(input: CommandInput): Promise<Outcome> {
  const email = readEmail(input);
  const { userId } = await requireUser(input);
  if (input.has('remove-all')) {
    const reason = input.find('reason') ?? NO_REASON;
    const removed = await removePasskeysAs(COMMAND_LINE, { userId, email, reason });
    return { json: { removed }, text: `Removed ${removed} passkeys.` };
  }
  const found = await listPasskeys(userId);
  const rows = found.map(({ name, createdAt, lastUsedAt }) => ({
    name,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }));
  return {
    json: { email, passkeys: rows },
    text: alignColumns([
      ['passkey', 'created', 'last used'],
      ...rows.map((row) => [row.name, row.created_at, row.last_used_at ?? '-']),
    ]),
  };
}

async function requireUser(input: CommandInput): Promise<UserSummary> {
  const email = readEmail(input);
  const user = await findUserSummary(email);
  if (user === null) throw new CommandRefused(`Unknown user ${email}`);
  return user;
}

type GrantChange = { userId: string; app: Partner | null; credits: Microcredits };

const changeOf = (input: CommandInput, { userId, app, credits }: GrantChange): CreditChange => ({
  operator: COMMAND_LINE,
  userId,
  partnerId: app?.id ?? null,
  credits,
  reason: input.find('reason') ?? NO_REASON,
  changeId: newId('req'),
});

function report(done: string, transactionId: string, credits: Microcredits, app: Partner | null): Outcome {
  return {
    json: {
      transaction_id: transactionId,
      credits: creditsToJson(credits),
      app: app?.publishableKey ?? null,
    },
    text: `${done} ${formatCredits(credits)} credits ${app ? `in ${app.name}` : 'outside any app'} (${transactionId}).`,
  };
}

function readEmail(input: CommandInput): string {
  const text = input.require('EMAIL');
  const normalised = normaliseEmail(text);
  if (!normalised.ok) throw new CommandRefused(`Invalid e-mail address "${text}"`);
  return normalised.email;
}

async function findApp(publishableKey: string | undefined): Promise<Partner | null> {
  if (publishableKey === undefined) return null;
  const app = await findPartnerByKey(publishableKey);
  if (app === null) throw new CommandRefused(`Unknown partner ${publishableKey}`);
  return app;
}
