import { Time } from '@/app/_ui/time';

/** Says why a list of requests ends before its totals do. */
export function ArchivedNote({ until, from }: { until: string | null; from: string }) {
  if (until === null || from >= until) return null;
  return (
    <p className="border-t border-line px-5 py-3 text-sm text-muted">
      Requests before <Time at={until} isDay withClock={false} /> are archived. They count in the totals and
      are no longer listed.
    </p>
  );
}
