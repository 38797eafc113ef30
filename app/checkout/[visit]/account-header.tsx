'use client';

import { formatCredits } from '../../_ui/amount';
import type { Language } from '../../_ui/language';
import type { Messages } from '../messages';
import type { VisitState } from './api';

type Props = { say: Messages; language: Language; visit: VisitState; onSignOut(): void };

/** Whose checkout this is: the app, and who is signed in. Leaves room for the close button. */
export function AccountHeader({ say, language, visit, onSignOut }: Props) {
  return (
    <header className="mb-7 flex min-h-10 items-center gap-3 pr-10">
      <span
        aria-hidden="true"
        className="grid size-10 shrink-0 place-items-center rounded-[10px] bg-accent-soft font-semibold text-accent"
      >
        {[...visit.app_name][0]?.toUpperCase()}
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate leading-snug font-medium">{visit.app_name}</p>
        {visit.signed_in !== null && (
          <p className="flex min-w-0 gap-1.5 text-[13px] leading-snug text-muted">
            <span className="shrink-0 tabular-nums">
              {formatCredits(visit.balance ?? 0, language)} {say.credits}
            </span>
            {visit.email !== null && (
              <>
                <span aria-hidden="true">·</span>
                <span className="truncate">{visit.email}</span>
              </>
            )}
            <span aria-hidden="true">·</span>
            <button
              type="button"
              onClick={onSignOut}
              className="relative shrink-0 rounded underline-offset-2 after:absolute after:-inset-x-2 after:-inset-y-3.5 hover:text-text hover:underline"
            >
              {say.signOut}
            </button>
          </p>
        )}
      </div>
    </header>
  );
}
