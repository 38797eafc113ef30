import { respond } from '@/server/base/http/respond';
import { METRICS_CONTENT_TYPE, readMetrics, requireMetricsToken } from '@/server/process/metrics/metrics';

/** Metrics for the operator's Prometheus server: the conditions worth an alert. */
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
