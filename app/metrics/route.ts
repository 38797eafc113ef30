import { respond } from '@/server/http/respond';
import { METRICS_CONTENT_TYPE, readMetrics, requireMetricsToken } from '@/server/metrics/metrics';

/** For a Prometheus server of the operator: what to be woken up for. */
export function GET(request: Request): Promise<Response> {
  return respond(
    'chat',
    async () => {
      requireMetricsToken(request.headers.get('authorization'));
      return new Response(await readMetrics(), {
        headers: { 'content-type': METRICS_CONTENT_TYPE, 'cache-control': 'no-store' },
      });
    },
    'same-origin',
  );
}
