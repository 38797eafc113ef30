import { creditsToJson } from '@/server/base/credits';
import type { RequestLine } from '@/server/reports/activity/user-activity';

/** A request in the form the client-side table needs. */
export type RequestRow = {
  requestId: string;
  at: string;
  appName: string;
  model: string;
  inputTokens: number;
  outputTokens: number;
  credits: number;
  estimated: boolean;
  outcome: string;
};

export function toRequestRow(line: RequestLine): RequestRow {
  return {
    requestId: line.requestId,
    at: line.createdAt.toISOString(),
    appName: line.appName,
    model: line.model,
    inputTokens: line.inputTokens + line.cacheReadTokens + line.cacheWriteTokens,
    outputTokens: line.outputTokens,
    credits: creditsToJson(line.charge),
    estimated: line.estimated,
    outcome: line.outcome,
  };
}
