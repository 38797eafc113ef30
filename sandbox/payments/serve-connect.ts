import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../loopback-server';
import { renderDashboard, renderOnboarding } from './connect-pages';
import { type AccountLink, changeConnectedAccount, requireAccount } from './connected-accounts';
import { choosePageLanguage } from './page-words';
import { type PageOptions, renderMissingPage } from './payment-page';
import { sendPage } from './send-page';
import type { Emulator } from './sessions';
import { unixSeconds } from './time';

/** The pages of the payee: `/connect/onboarding/<link>` once for each link, and `/connect/dashboard/<account>`. */
export async function serveConnect(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { records } = emulator;
  const [, , page, id = ''] = new URL(request.url ?? '/', 'http://sandbox').pathname.split('/');
  const options: PageOptions = {
    nonce: randomBytes(16).toString('base64'),
    theme: null,
    language: choosePageLanguage(null, request.headers['accept-language'] ?? ''),
    chrome: 'hosted',
  };
  const link = page === 'onboarding' ? records.find('account_link', id) : null;
  if (link !== null) return serveOnboarding(emulator, link, options, request, response);
  const record = page === 'dashboard' ? records.find('connected_account', id) : null;
  if (record === null || record.isDeauthorized)
    return sendPage(response, 404, renderMissingPage(options), options.nonce);
  const payouts = records.all('bank_payout').filter(({ account }) => account === id);
  return sendPage(response, 200, renderDashboard(record, payouts.reverse(), options), options.nonce);
}

const CHOICES = { finish: 'active', later: 'restricted', reject: 'rejected' } as const;

async function serveOnboarding(
  emulator: Emulator,
  link: AccountLink,
  options: PageOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (link.isUsed || link.expires_at <= unixSeconds()) return redirect(response, link.refresh_url);
  if (request.method !== 'POST') {
    const { account } = requireAccount(emulator.records, link.account);
    return sendPage(response, 200, renderOnboarding(account, link, options), options.nonce);
  }
  const answer = new URLSearchParams(await readBody(request)).get('answer') ?? '';
  await emulator.records.save('account_link', link.id, { ...link, isUsed: true });
  if (answer in CHOICES) {
    const state = CHOICES[answer as keyof typeof CHOICES];
    await changeConnectedAccount(emulator, { id: link.account, state });
  }
  redirect(response, link.return_url);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store' }).end();
}
