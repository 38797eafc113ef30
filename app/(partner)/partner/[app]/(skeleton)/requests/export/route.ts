import { creditsToJson } from '@/server/base/credits';
import { type CsvCell, csvResponse } from '@/server/base/http/csv';
import { type AppRequest, streamAppRequests } from '@/server/reports/activity/partner-activity';
import { type AppParams, requireApp } from '../../../require-app';
import { readRequestSearch } from '../request-search';

const HEADER = [
  'request_id',
  'created_at',
  'user_id',
  'model',
  'input_tokens',
  'output_tokens',
  'cost_credits',
  'provider_credits',
  'commission_credits',
  'estimated',
  'status',
];

/** All requests that match the list's filters, newest first. */
export async function GET(request: Request, context: AppParams): Promise<Response> {
  const app = await requireApp(context, 'view');
  const { filter } = readRequestSearch(Object.fromEntries(new URL(request.url).searchParams));
  return csvResponse(`requests-${filter.from}.csv`, HEADER, portions(streamAppRequests(app.id, filter)));
}

async function* portions(stream: AsyncIterable<AppRequest[]>): AsyncGenerator<CsvCell[][]> {
  for await (const requests of stream) yield requests.map(toCells);
}

function toCells(request: AppRequest): CsvCell[] {
  return [
    request.requestId,
    request.createdAt.toISOString(),
    request.appUserId,
    request.model,
    request.inputTokens,
    request.outputTokens,
    creditsToJson(request.charge),
    creditsToJson(request.providerCost),
    creditsToJson(request.partnerShare),
    request.estimated,
    request.outcome,
  ];
}
