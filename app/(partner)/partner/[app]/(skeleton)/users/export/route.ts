import { creditsToJson } from '@/server/base/credits';
import { type CsvCell, csvResponse } from '@/server/base/http/csv';
import { type AppUser, streamAppUsers } from '@/server/reports/activity/partner-activity';
import { type AppParams, requireApp } from '../../../require-app';

const HEADER = [
  'user_id',
  'created_at',
  'requests',
  'spent_credits',
  'commission_credits',
  'last_request_at',
  'metadata',
];

export async function GET(_request: Request, context: AppParams): Promise<Response> {
  const app = await requireApp(context, 'view');
  return csvResponse('users.csv', HEADER, portions(streamAppUsers(app.id)));
}

async function* portions(stream: AsyncIterable<AppUser[]>): AsyncGenerator<CsvCell[][]> {
  for await (const users of stream) yield users.map(toCells);
}

function toCells(user: AppUser): CsvCell[] {
  return [
    user.appUserId,
    user.createdAt.toISOString(),
    user.requests,
    creditsToJson(user.charge),
    creditsToJson(user.partnerShare),
    user.lastRequestAt?.toISOString() ?? '',
    user.metadata === null ? '' : JSON.stringify(user.metadata),
  ];
}
