import { creditsToJson, formatCredits, type Microcredits, parseCredits } from '../credits';
import { inTransaction } from '../db';
import { openAppUser } from '../identity/app-users';
import { normaliseEmail } from '../identity/email';
import { findUserSummary } from '../identity/user-summary';
import { openUser } from '../identity/users';
import { newId } from '../ids';
import { grantCredits, OUTSIDE_ANY_APP, openUserApp } from '../ledger';
import { findPartnerByKey, type Partner } from '../partners/partner';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { alignColumns, alignFacts } from './output';

export const userCommands: Readonly<Record<string, Command>> = {
  'user show': {
    usage: 'user show EMAIL',
    summary: 'credits and apps of a user',
    arguments: ['EMAIL'],
    needs: 'schema',
    run: show,
  },
  'user grant': {
    usage: 'user grant EMAIL --credits N [--app PK]',
    summary: 'give credits, inside one app or outside any; makes the account when it is new',
    arguments: ['EMAIL'],
    options: { credits: 'text', app: 'text' },
    needs: 'schema',
    run: grant,
  },
};

async function show(input: CommandInput): Promise<Outcome> {
  const email = readEmail(input);
  const user = await findUserSummary(email);
  if (user === null) throw new CommandRefused(`There is no user ${email}`);
  const rows = user.apps.map((app) => [
    app.name,
    formatCredits(app.own),
    app.limitLeft === null ? '-' : formatCredits(app.limitLeft),
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
          limit: app.limitLeft === null ? null : creditsToJson(app.limitLeft),
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
      alignColumns([['app', 'own', 'limit left', 'can spend', 'keys'], ...rows]),
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
  const credits = readCredits(input.require('credits'));
  const app = await findApp(input.find('app'));
  const booking = await inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, email);
    if (app) await openAppUser(tx, { userId, partnerId: app.id });
    else await openUserApp(tx, { userId, appId: OUTSIDE_ANY_APP, appUserId: newId('au') });
    return grantCredits(tx, {
      userId,
      appId: app?.id ?? OUTSIDE_ANY_APP,
      credits,
      grantId: newId('req'),
      note: 'granted by the operator',
    });
  });
  return {
    json: {
      transaction_id: booking.transactionId,
      credits: creditsToJson(credits),
      app: app?.publishableKey ?? null,
    },
    text: `Granted ${formatCredits(credits)} credits ${app ? `in ${app.name}` : 'outside any app'} (${booking.transactionId}).`,
  };
}

function readEmail(input: CommandInput): string {
  const text = input.require('EMAIL');
  const normalised = normaliseEmail(text);
  if (!normalised.ok) throw new CommandRefused(`"${text}" is not an e-mail address`);
  return normalised.email;
}

/** More than any account should ever hold, and far from the end of BIGINT. */
const MAX_GRANT = parseCredits('1000000000');

function readCredits(text: string): Microcredits {
  const credits = parseCredits(text);
  if (credits === null || credits <= 0n || (MAX_GRANT !== null && credits > MAX_GRANT)) {
    throw new CommandRefused(
      `"${text}" is not an amount of credits: write a number above 0 with at most six decimals`,
    );
  }
  return credits;
}

async function findApp(publishableKey: string | undefined): Promise<Partner | null> {
  if (publishableKey === undefined) return null;
  const app = await findPartnerByKey(publishableKey);
  if (app === null) throw new CommandRefused(`There is no partner ${publishableKey}`);
  return app;
}
