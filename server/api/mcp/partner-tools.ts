import { z } from 'zod';
import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';
import { readFirstSteps } from '../../partners/first-steps';
import { checkName } from '../../partners/name';
import { isAllowedOrigin, MAX_ORIGIN_LENGTH, parseOrigin } from '../../partners/origin-rules';
import { listOrigins, requirePartner, stateOf } from '../../partners/partner';
import { formatPercent, parsePercent } from '../../partners/rate';
import { sendTestEvent } from '../../partners/webhooks/send-test-event';
import { openTool, partnerTool } from './tool';

/**
 * Tools for partners. A change of an app needs a member of its team who confirms it, which no credential of a program
 * proves: the tools check the input and name the page.
 */

const origin = z.string().max(MAX_ORIGIN_LENGTH).describe('Such as https://app.example.com or myapp://*');

const proposeTool = openTool({
  name: 'propose_app',
  title: 'Propose an app',
  description:
    'Checks the details of a new app and returns the URL of a page with them filled in. Ask the user to open it, create the app, and give you its publishable key. Creates nothing.',
  input: z.object({
    name: z.string().max(200).describe('Users see it in the checkout.'),
    commission_percent: z.number().default(25).describe('0 to 100, with at most two decimals.'),
    origin: origin.optional().describe('Of the published page. localhost works without.'),
  }),
  run: async ({ name, commission_percent, origin: asked }) => {
    const checked = checkName(name);
    if (!checked.ok) throw refuse('name', checked.reason);
    const percent = String(commission_percent);
    if (parsePercent(percent) === null)
      throw refuse('commission_percent', 'expected 0 to 100 with at most two decimals');
    const url = new URL('/partner/new', settings().BASE_URL);
    url.searchParams.set('name', checked.name);
    url.searchParams.set('percent', percent);
    if (asked !== undefined) url.searchParams.set('origin', requireOrigin(asked).origin);
    return { url: url.href };
  },
});

const originTool = openTool({
  name: 'check_origin',
  title: 'Check an origin',
  description:
    'Reports whether the checkout of an app opens on an origin. If not, ask the user to add it at the URL. Changes nothing.',
  input: z.object({ publishable_key: z.string().max(200), origin }),
  run: async ({ publishable_key, origin: asked }) => {
    const { id } = await requirePartner(publishable_key);
    const parsed = requireOrigin(asked);
    const registered = await listOrigins(id);
    const isAllowed = registered.includes(parsed.origin) || isAllowedOrigin(parsed.origin, registered);
    return { ...parsed, allowed: isAllowed, ...(!isAllowed && { url: urlOf('/partner') }) };
  },
});

const appTool = partnerTool({
  name: 'get_app',
  title: 'Get the app',
  description:
    'Returns the settings of the app and which steps of its integration are done. Needs its signing secret: HTTP Basic with the publishable key and the secret.',
  input: z.object({}),
  run: async (_, partner) => ({
    name: partner.name,
    name_approved: partner.nameApprovedAt !== null,
    publishable_key: partner.publishableKey,
    state: stateOf(partner),
    commission_percent: Number(formatPercent(partner.rateBp)),
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

const urlOf = (path: string): string => new URL(path, settings().BASE_URL).href;

export const PARTNER_TOOLS = [proposeTool, originTool, appTool, testTool];
