import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../loopback-server';
import { changeConnectedAccount } from './connect';
import type { Emulator } from './emulator';
import { formatMoney } from './money-text';
import type { AccountLink } from './objects';
import { missingPage, renderChoices, sendPage } from './page';
import { unixSeconds } from './time';

/** The pages of the payee: `/connect/onboarding/<link>` once for each link, and `/connect/dashboard/<account>`. */
export async function serveConnect(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { records } = emulator;
  const [, , page, id = ''] = new URL(request.url ?? '/', 'http://sandbox').pathname.split('/');
  const link = page === 'onboarding' ? records.find('account_link', id) : null;
  if (link !== null) return serveOnboarding(emulator, link, request, response);
  const record = page === 'dashboard' ? records.find('connected_account', id) : null;
  if (record === null || record.isDeauthorized) return sendPage(response, 404, missingPage);
  const can = record.account.capabilities.transfers === 'active' ? 'can' : 'cannot';
  const title = 'Your account';
  const balance = formatMoney(record.balance, 'usd');
  const main = `<h1>${title}</h1><p>You ${can} receive payouts now.</p><p>Balance: ${balance}</p>`;
  return sendPage(response, 200, { title, main });
}

const CHOICES = { finish: 'active', later: 'restricted', reject: 'rejected' } as const;
const LABELS = { finish: 'Finish', later: 'Leave an identity document due', reject: 'Be rejected' };

async function serveOnboarding(
  emulator: Emulator,
  link: AccountLink,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (link.isUsed || link.expires_at <= unixSeconds()) return redirect(response, link.refresh_url);
  if (request.method !== 'POST') {
    const title = 'Get paid';
    const main = `<h1>${title}</h1><p>Stripe would ask for your details here. Choose how it ends.</p>${renderChoices(LABELS)}`;
    return sendPage(response, 200, { title, main });
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
