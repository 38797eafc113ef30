import { privateJson, respond } from '@/server/base/http/respond';
import { checkReadiness } from '@/server/process/health/readiness';

/** Reports whether this instance can serve a paid request, and otherwise which checks fail. */
export function GET(): Promise<Response> {
  return respond(
    'chat',
    async () => {
      const failing = Object.entries(await checkReadiness()).flatMap(([check, ok]) => (ok ? [] : [check]));
      if (failing.length === 0) return privateJson({ status: 'ok' });
      const headers = { 'retry-after': '5' };
      return privateJson({ status: 'unavailable', failing }, { status: 503, headers });
    },
    'same-origin',
  );
}
