import { findSession } from '@/app/_session/session';
import { readPeriod } from '@/server/activity/periods';
import { type RequestLine, streamRequests } from '@/server/activity/user-activity';
import { formatCredits } from '@/server/credits';
import { writeCsvRow } from '@/server/http/csv';
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
  'provider_credits',
  'credits',
  'estimated',
  'outcome',
];

/** The requests that the activity page shows, all of them, as they are read. */
export async function GET(request: Request): Promise<Response> {
  const session = await findSession();
  if (session === null) return new Response('Please sign in first.', { status: 401 });
  const query = readQuery(Object.fromEntries(new URL(request.url).searchParams));
  const filter = { ...readPeriod(query.period), appId: query.app, model: query.model };
  return new Response(streamOf(writeLines(session.userId, filter)), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="activity-${filter.from}.csv"`,
      'cache-control': 'no-store',
    },
  });
}

/** Reads on only as fast as the browser takes it, and stops when it leaves. */
function streamOf(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

async function* writeLines(
  userId: string,
  filter: Parameters<typeof streamRequests>[1],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(writeCsvRow(HEADER));
  for await (const lines of streamRequests(userId, filter))
    yield encoder.encode(lines.map(writeLine).join(''));
}

function writeLine(line: RequestLine): string {
  return writeCsvRow([
    line.createdAt.toISOString(),
    line.requestId,
    line.appName,
    line.model,
    line.inputTokens,
    line.cacheReadTokens,
    line.cacheWriteTokens,
    line.outputTokens,
    line.reasoningTokens,
    formatCredits(line.providerCost),
    formatCredits(line.charge),
    line.estimated,
    line.outcome,
  ]);
}
