const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3_600;

/** A time to wait in words, rounded up: "30 seconds", "12 minutes". */
export function describeWait(seconds: number): string {
  const write = (unit: string, count: number) =>
    new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(Math.ceil(count));
  if (seconds <= SECONDS_PER_MINUTE) return write('second', seconds);
  if (seconds <= SECONDS_PER_HOUR) return write('minute', seconds / SECONDS_PER_MINUTE);
  return write('hour', seconds / SECONDS_PER_HOUR);
}
