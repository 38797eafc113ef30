import { z } from 'zod';
import { CLIENT_IP_HEADER } from '../../base/http/client-ip';
import { quoteRequest, quoteRequestSchema } from '../../gateway/run/quote';
import { readBalance } from '../balance';
import { readHistoryPage } from '../history';
import { requireReceipt } from '../receipt';
import { userTool } from './tool';

/** Tools for the user of a user key, who sees what the key may read over HTTP and nothing else. */

const MAX_ENTRIES = 50;

const balanceTool = userTool({
  name: 'get_balance',
  title: 'Get the balance',
  description:
    'Returns what the app can spend for the user now, whether a request would be refused and why, and the budget of a run key. 100 credits are 1 USD.',
  input: z.object({}),
  run: (_, { caller }) => readBalance(caller),
});

const quoteTool = userTool({
  name: 'quote_request',
  title: 'Estimate a request',
  description: 'Returns what a request will probably cost and the most that it can cost. Nothing is sent.',
  input: quoteRequestSchema,
  run: (body, { request }) => quoteRequest(withBody(request, body)),
});

const historyTool = userTool({
  name: 'list_history',
  title: 'List recent requests and purchases',
  description: 'Lists the bookings of the user in the app, newest first: requests, purchases and refunds.',
  input: z.object({
    limit: z.int().min(1).max(MAX_ENTRIES).default(10),
    offset: z.int().min(0).max(1_000_000).default(0),
  }),
  run: (place, { caller }) => readHistoryPage(caller, place),
});

const receiptTool = userTool({
  name: 'get_receipt',
  title: 'Find a receipt',
  description: 'Returns what one request was metered and charged.',
  input: z.object({
    request_id: z
      .string()
      .regex(/^[\w-]{1,64}$/, { error: 'expected an id such as req_…' })
      .describe('The `x-request-id` of its response.'),
  }),
  run: ({ request_id }, { caller }) => requireReceipt(caller, request_id),
});

/** As the same client would send it to an endpoint. */
function withBody(request: Request, body: object): Request {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const name of ['authorization', 'x-api-key', 'x-user-key', 'origin', CLIENT_IP_HEADER]) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Request(request.url, { method: 'POST', headers, body: JSON.stringify(body) });
}

export const USER_TOOLS = [balanceTool, quoteTool, historyTool, receiptTool];
