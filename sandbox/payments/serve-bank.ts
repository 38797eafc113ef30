import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../loopback-server';
import type { Emulator } from './emulator';
import type { Intent, SetupIntent } from './objects';
import { missingPage, renderChoices, sendPage } from './page';
import { answerBank } from './payment-intents';
import { answerBankForSetup } from './setup-intents';

/** The 3-D Secure page of the sandbox's bank, addressed by the client secret of what it confirms. */

type Asked = { kind: 'payment'; intent: Intent } | { kind: 'setup'; intent: SetupIntent };

export async function serveBank(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = findAsked(emulator, (request.url ?? '').split('/')[2] ?? '');
  if (asked === null) return sendPage(response, 404, missingPage);
  const address = asked.intent.next_action?.redirect_to_url?.return_url ?? '/';
  if (request.method !== 'POST') {
    const title = 'Confirm it’s you';
    const choices = renderChoices({ complete: 'Complete authentication', fail: 'Fail authentication' });
    const main = `<h1>${title}</h1><p>A real bank would show its own 3-D Secure page here.</p>${choices}`;
    return sendPage(response, 200, { title, main });
  }
  const passes = new URLSearchParams(await readBody(request)).get('answer') === 'complete';
  const isDone = await answer(emulator, asked, passes);
  response.writeHead(303, { location: withOutcome(address, asked, isDone) }).end();
}
/** Null unless the bank waits for the buyer. */
function findAsked({ records }: Emulator, clientSecret: string): Asked | null {
  const [id = ''] = clientSecret.split('_secret_');
  const payment = records.find('payment_intent', id);
  const setup = records.find('setup_intent', id);
  const asked: Asked | null = payment
    ? { kind: 'payment', intent: payment }
    : setup && { kind: 'setup', intent: setup };
  const isAsked = asked?.intent.client_secret === clientSecret && asked.intent.status === 'requires_action';
  return isAsked ? asked : null;
}

async function answer(emulator: Emulator, asked: Asked, passes: boolean): Promise<boolean> {
  const { status } =
    asked.kind === 'payment'
      ? await answerBank(emulator, asked.intent, passes)
      : await answerBankForSetup(emulator, asked.intent, passes);
  return status === 'succeeded';
}

/** As Stripe returns: with the names of the intent, its secret and the outcome. */
function withOutcome(address: string, { kind, intent }: Asked, isDone: boolean): string {
  const url = new URL(address);
  url.searchParams.set(`${kind}_intent`, intent.id);
  url.searchParams.set(`${kind}_intent_client_secret`, intent.client_secret ?? '');
  url.searchParams.set('redirect_status', isDone ? 'succeeded' : 'failed');
  return url.href;
}
