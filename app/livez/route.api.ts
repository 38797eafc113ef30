import { privateJson, respond } from '@/server/base/http/respond';

/** Reports that the process is running. It needs nothing else: a restart would not repair a database. */
export function GET(): Promise<Response> {
  return respond('chat', () => privateJson({ status: 'ok' }), 'same-origin');
}
