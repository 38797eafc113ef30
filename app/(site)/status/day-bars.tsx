type Day = { day: string; okShare: number | null };

/** One bar for each day, with the average of those that have data. */
export function DayBars({ name, days }: { name: string; days: Day[] }) {
  const known = days.flatMap(({ okShare }) => (okShare === null ? [] : [okShare]));
  const average = known.length === 0 ? null : known.reduce((all, share) => all + share, 0) / known.length;
  const text = average === null ? 'No data yet' : `${writeShare(average)} on average`;
  return (
    <>
      <div
        role="img"
        aria-label={`${name}, last ${days.length} days: ${text}`}
        className="mt-3 flex h-8 items-stretch gap-px sm:gap-0.5"
      >
        {days.map(({ day, okShare }) => (
          <span
            key={day}
            title={`${day}: ${okShare === null ? 'no data' : writeShare(okShare)}`}
            className={`min-w-0 flex-1 rounded-[2px] ${toneOf(okShare)}`}
          />
        ))}
      </div>
      <div className="mt-1.5 flex justify-between text-xs text-muted">
        <span>{days.length} days ago</span>
        <span>{text}</span>
        <span>Today</span>
      </div>
    </>
  );
}

function toneOf(okShare: number | null): string {
  if (okShare === null) return 'bg-line';
  if (okShare >= 0.99) return 'bg-positive';
  return okShare >= 0.9 ? 'bg-warning' : 'bg-danger';
}

/** Rounded down: 100% means without a failure. */
export const writeShare = (share: number): string =>
  `${share === 1 ? '100' : (Math.floor(share * 10_000) / 100).toFixed(2)}%`;
