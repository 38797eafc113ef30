import { DAY_MS, MINUTE_MS } from '../../base/clock';

/** When a provider charges its peak price, as the catalogue states it. All times are in UTC. */
export type PeakHours = {
  /** Such as "01:00-04:00": the first minute is in, the last is out. */
  hours: readonly string[];
  /** 1 is Monday, 7 is Sunday. */
  days: readonly number[];
  /** Dates without peak hours. */
  holidays: readonly string[];
};

/** `HH:MM-HH:MM` within one day; the end may be 24:00. */
export const PEAK_HOURS = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/** Ready for a lookup on the path of a request: no text, no dates. */
export type PeakCalendar = {
  ranges: readonly { startMs: number; endMs: number }[];
  /** By day of the week, as in `Date`: 0 is Sunday. */
  hasPeak: readonly boolean[];
  /** Days since the epoch. */
  holidays: ReadonlySet<number>;
};

export function readPeakHours({ hours, days, holidays }: PeakHours): PeakCalendar {
  return {
    ranges: hours.map(readRange),
    hasPeak: [0, 1, 2, 3, 4, 5, 6].map((day) => days.includes(day === 0 ? 7 : day)),
    holidays: new Set(holidays.map((date) => Date.parse(date) / DAY_MS)),
  };
}

function readRange(text: string): { startMs: number; endMs: number } {
  const [, ...parts] = PEAK_HOURS.exec(text) ?? [];
  const [startHour = 0, startMinute = 0, endHour = 0, endMinute = 0] = parts.map(Number);
  return {
    startMs: (startHour * 60 + startMinute) * MINUTE_MS,
    endMs: (endHour * 60 + endMinute) * MINUTE_MS,
  };
}

/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4;

export function isPeak({ ranges, hasPeak, holidays }: PeakCalendar, timeMs: number): boolean {
  const day = Math.floor(timeMs / DAY_MS);
  if (!hasPeak[(day + FIRST_WEEKDAY) % 7] || holidays.has(day)) return false;
  const ofDayMs = timeMs - day * DAY_MS;
  return ranges.some(({ startMs, endMs }) => ofDayMs >= startMs && ofDayMs < endMs);
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** "01:00–04:00 and 06:00–10:00 UTC, Monday to Friday, except public holidays" */
export function describePeakHours({ hours, days, holidays }: PeakHours): string {
  const times = hours.map((range) => range.replace('-', '–')).join(' and ');
  const isRun = days.every((day, i) => i === 0 || day === (days[i - 1] ?? 0) + 1);
  const names = days.map((day) => WEEKDAYS[day - 1] ?? '');
  const named = isRun && days.length > 2 ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
  const when = days.length === 7 ? 'every day' : named;
  return `${times} UTC, ${when}${holidays.length > 0 ? ', except public holidays' : ''}`;
}
