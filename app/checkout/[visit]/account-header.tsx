'use client';

import type { Language } from '@/texts/languages';
import { countCredits } from '../../_ui/amount';
import type { Messages } from '../messages';
import type { VisitState } from './api';

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  /** Null if leaving the step would lose input. */
  onAccount: (() => void) | null;
};

/** The app and the signed-in user. */
export function AccountHeader({ say, language, visit, onAccount }: Props) {
  const balance = say.credits({ count: countCredits(visit.balance ?? 0, language) });
  return (
    <header className="mb-4 flex min-h-11 items-center gap-3">
      {visit.app_logo === null ? (
        <span
          aria-hidden="true"
          className="grid size-10 shrink-0 place-items-center rounded-[10px] bg-accent-soft font-semibold text-accent"
        >
          {[...visit.app_name][0]?.toUpperCase()}
        </span>
      ) : (
        <img src={visit.app_logo} alt="" className="size-10 shrink-0 rounded-[10px] object-contain" />
      )}
      <div className="min-w-0 flex-1">
        <p className="truncate leading-snug font-medium">{visit.app_name}</p>
        {visit.signed_in !== null && (
          <p className="flex min-w-0 gap-1.5 text-[0.8125rem] leading-snug text-muted">
            <span className="shrink-0 tabular-nums">{balance}</span>
            {visit.email !== null && (
              <>
                <span aria-hidden="true">·</span>
                <span className="truncate">{visit.email}</span>
              </>
            )}
          </p>
        )}
      </div>
      {visit.signed_in !== null && onAccount && (
        <button
          type="button"
          onClick={onAccount}
          aria-label={say.accountOpen({ app: visit.app_name })}
          className="grid size-11 shrink-0 place-items-center rounded-lg text-muted hover:bg-sunken hover:text-text"
        >
          <svg width="22" height="22" viewBox="0 0 24 24" fill="none" aria-hidden="true">
            <circle cx="12" cy="8.5" r="3.75" stroke="currentColor" strokeWidth="1.75" />
            <path
              d="M4.75 19.5c1.2-3.3 4-5 7.25-5s6.05 1.7 7.25 5"
              stroke="currentColor"
              strokeWidth="1.75"
              strokeLinecap="round"
            />
          </svg>
        </button>
      )}
    </header>
  );
}
