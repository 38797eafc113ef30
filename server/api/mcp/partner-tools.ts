import { z } from 'zod';
import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';
import { readFirstSteps } from '../../partners/first-steps';
import { checkName } from '../../partners/name';
import { isAllowedOrigin, MAX_ORIGIN_LENGTH, parseOrigin } from '../../partners/origin-rules';
import {
  findPartnerByKey,
  invalidPublishableKey,
  listOrigins,
  type Partner,
  stateOf,
} from '../../partners/partner';
import { findProposed, newProposal, readProposal } from '../../partners/proposals';
import { formatPercent, parsePercent } from '../../partners/rate';
import { requireOpenSignUp } from '../../partners/sign-up';
import { sendTestEvent } from '../../partners/webhooks/send-test-event';
import { openTool, partnerTool } from './tool';

/**
 * Tools for partners. A change of an app needs a member of its team who confirms it, which no credential of a program
 * proves: the tools check the input, name the page where a person makes the change, and report it once it is made.
 */

const origin = z.string().max(MAX_ORIGIN_LENGTH).describe('Such as https://app.example.com or myapp://*');

const createTool = openTool({
  name: 'create_app',
  title: 'Create an app',
  description:
    'Returns status "needs_confirmation" and the URL of a page with the app filled in. Ask the user to open it and press "Create app", then call again with the same input and `proposal`: status "created" comes with the publishable key.',
  input: z.object({
    name: z.string().max(200).describe('Users see it in the checkout.'),
    commission_percent: z.number().default(25).describe('0 to 100, with at most two decimals.'),
    origin: origin.optional().describe('Of the published page. localhost works without.'),
    proposal: z.string().max(100).optional().describe('As the first call returned it.'),
  }),
  isReadOnly: false,
  run: async ({ proposal: given, ...details }) => {
    requireOpenSignUp();
    const proposal = given === undefined ? newProposal() : readProposal(given);
    if (proposal === null) throw refuse('proposal', 'unknown or expired. Call create_app without it');
    const { token, expiresAt } = proposal;
    const created = await findProposed(token);
    if (created !== null) return { status: 'created', ...describe(created) };
    const url = urlOf('/partner/new', { ...checkDetails(details), proposal: token });
    return { status: 'needs_confirmation', url, proposal: token, expires_at: expiresAt.toISOString() };
  },
});

type Details = { name: string; commission_percent: number; origin?: string | undefined };

/** As the page reads them. */
function checkDetails({ name, commission_percent, origin: asked }: Details): Record<string, string> {
  const checked = checkName(name);
  if (!checked.ok) throw refuse('name', checked.reason);
  const percent = String(commission_percent);
  if (parsePercent(percent) === null)
    throw refuse('commission_percent', 'expected 0 to 100 with at most two decimals');
  return { name: checked.name, percent, ...(asked !== undefined && { origin: requireOrigin(asked).origin }) };
}

const originTool = openTool({
  name: 'add_origin',
  title: 'Add an origin',
  description:
    'Returns status "allowed" if the checkout of an app opens on an origin. Otherwise it returns "needs_confirmation" and a URL: ask the user to open it and press "Add origin", then call again.',
  input: z.object({ publishable_key: z.string().max(200), origin }),
  isReadOnly: false,
  run: async ({ publishable_key, origin: asked }) => {
    const app = await findPartnerByKey(publishable_key);
    if (app === null) throw invalidPublishableKey(publishable_key, 'publishable_key');
    const parsed = requireOrigin(asked);
    const registered = await listOrigins(app.id);
    if (registered.includes(parsed.origin) || isAllowedOrigin(parsed.origin, registered))
      return { status: 'allowed', ...parsed };
    const url = urlOf('/partner/add-origin', { publishable_key, origin: parsed.origin });
    return { status: 'needs_confirmation', url, ...parsed };
  },
});

const appTool = partnerTool({
  name: 'get_app',
  title: 'Get the app',
  description:
    'Returns the settings of the app and which steps of its integration are done. Needs its signing secret: HTTP Basic with the publishable key and the secret.',
  input: z.object({}),
  run: async (_, partner) => ({
    ...describe(partner),
    models: partner.allModels ? 'all' : partner.allowedModels,
    origins: await listOrigins(partner.id),
    webhook_url: partner.webhookUrl,
    done: await writeSteps(partner.id),
    urls: {
      origins: urlOf(`/partner/${partner.id}/integration`),
      webhooks: urlOf(`/partner/${partner.id}/webhooks`),
    },
  }),
});

const testTool = partnerTool({
  name: 'send_test_event',
  title: 'Send a test event',
  description:
    'Sends an event of type `test` to the saved webhook endpoint and returns the response. Needs the signing secret of the app.',
  input: z.object({}),
  isReadOnly: false,
  run: async (_, { id }) => {
    const sent = await sendTestEvent(id);
    if (!sent.ok) throw new ApiError('invalid_request', sent.message);
    const { eventId, isDelivered, explanation, result } = sent;
    return { event_id: eventId, delivered: isDelivered, status: result.status, explanation };
  },
});

const describe = (app: Partner) => ({
  name: app.name,
  name_approved: app.nameApprovedAt !== null,
  publishable_key: app.publishableKey,
  state: stateOf(app),
  commission_percent: Number(formatPercent(app.rateBp)),
});

async function writeSteps(partnerId: string) {
  const steps = await readFirstSteps(partnerId);
  return {
    origin: steps.hasOrigin,
    checkout_opened: steps.hasOpenedCheckout,
    webhook: steps.hasWebhook,
    purchase: steps.hasPurchase,
    request: steps.hasRequest,
  };
}

function requireOrigin(text: string): { origin: string; warning?: string } {
  const parsed = parseOrigin(text);
  if (!parsed.ok) throw refuse('origin', parsed.reason);
  const { origin: registrable, warning } = parsed;
  return { origin: registrable, ...(warning !== undefined && { warning }) };
}

const refuse = (param: string, reason: string): ApiError =>
  new ApiError('invalid_request', `${param}: ${reason}`, { param });

const urlOf = (path: string, query: Record<string, string> = {}): string => {
  const url = new URL(path, settings().BASE_URL);
  url.search = new URLSearchParams(query).toString();
  return url.href;
};

export const PARTNER_TOOLS = [createTool, originTool, appTool, testTool];
