'use client';

import type { LoggedCallback } from './use-widget';

/** The callbacks of the widget: everything a partner receives in the browser. */
export function CallbackLog({ log }: { log: LoggedCallback[] }) {
  return (
    <details className="group mt-8 border-t border-line pt-2">
      <summary className="flex min-h-11 items-center gap-2 rounded-lg text-sm font-medium text-muted select-none hover:text-text">
        <svg
          width="12"
          height="12"
          viewBox="0 0 12 12"
          fill="none"
          aria-hidden="true"
          className="transition-transform group-open:rotate-90"
        >
          <path
            d="m4 2 4 4-4 4"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
        Widget callbacks ({log.length})
      </summary>
      {log.length === 0 ? (
        <p className="py-2 text-sm text-muted">No callbacks yet.</p>
      ) : (
        <ol className="mt-2 grid gap-3">
          {log.map(({ id, at, name, event }) => (
            <li key={id} className="grid gap-x-4 font-mono text-[13px] sm:grid-cols-[auto_1fr]">
              <span className="text-muted tabular-nums">{at}</span>
              <span className="min-w-0">
                <span className="font-medium">{name}</span>{' '}
                <span className="break-all text-muted">{event}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}
