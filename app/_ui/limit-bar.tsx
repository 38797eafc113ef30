import type { ReactNode } from 'react';

type Props = { label: string; used: number; most: number; text: string; note: ReactNode };

/** How much of a limit is used. */
export function LimitBar({ label, used, most, text, note }: Props) {
  const percent = Math.min(100, (used / most) * 100);
  return (
    <div>
      <div className="flex flex-wrap justify-between gap-x-4 text-sm">
        <span className="font-medium">{label}</span>
        <span className="tabular-nums">{text}</span>
      </div>
      <div
        aria-hidden="true"
        className="my-1.5 h-2 overflow-hidden rounded-full border border-line bg-sunken"
      >
        <div
          className={`h-full ${percent >= 80 ? 'bg-warning' : 'bg-accent'}`}
          style={{ width: `${percent}%` }}
        />
      </div>
      <p className="text-[13px] text-muted">{note}</p>
    </div>
  );
}
