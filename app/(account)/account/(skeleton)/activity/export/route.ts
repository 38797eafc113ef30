import { findSession } from '@/app/_session/session';
import { formatCredits } from '@/server/base/credits';
import { type CsvCell, csvResponse } from '@/server/base/http/csv';
import { readPeriod } from '@/server/reports/activity/periods';
import { type RequestLine, streamRequests } from '@/server/reports/activity/user-activity';
import { readQuery } from '../filter';

const HEADER = [
  'time',
  'request_id',
  'app',
  'model',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'web_searches',
  'input_units',
  'output_units',
  'provider_credits',
  'credits',
  'estimated',
  'outcome',
];

/** Streams every request that matches the activity page's filters. */
export async function GET(request: Request): Promise<Response> {
  const session = await findSession();
  if (session === null) return new Response('Sign in first.', { status: 401 });
  const query = readQuery(Object.fromEntries(new URL(request.url).searchParams));
  const filter = { ...readPeriod(query.period), partnerId: query.app, model: query.model };
  return csvResponse(`activity-${filter.from}.csv`, HEADER, writeLines(session.userId, filter));
}

async function* writeLines(
  userId: string,
  filter: Parameters<typeof streamRequests>[1],
): AsyncGenerator<CsvCell[][]> {
  for await (const lines of streamRequests(userId, filter)) yield lines.map(toCells);
}

function toCells(line: RequestLine): CsvCell[] {
  return [
    line.createdAt.toISOString(),
    line.requestId,
    line.appName,
    line.model,
    line.inputTokens,
    line.cacheReadTokens,
    line.cacheWriteTokens,
    line.outputTokens,
    line.reasoningTokens,
    line.webSearches ?? 0,
    line.inputUnits ?? 0,
    line.outputUnits ?? 0,
    formatCredits(line.providerCost),
    formatCredits(line.charge),
    line.estimated,
    line.outcome,
  ];
}
