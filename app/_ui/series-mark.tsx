import { lookOf } from './bar-row';

/** The colour of a series, in front of its name. */
export function SeriesMark({ index, isForecast }: { index: number; isForecast: boolean }) {
  return (
    <svg width="10" height="10" aria-hidden="true" className="shrink-0">
      <rect width="10" height="10" rx="3" {...lookOf(index, isForecast)} />
    </svg>
  );
}
