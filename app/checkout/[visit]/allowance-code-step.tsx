'use client';

import { useState } from 'react';
import type { Language } from '@/texts/languages';
import { countCredits } from '../../_ui/amount';
import { Button } from '../../_ui/button';
import { type Challenge, CodeEntry } from '../../_ui/code-entry';
import { withPart } from '../../_ui/with-part';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { Actions } from './actions';
import type { AllowanceChoice, VisitState } from './api';
import { MailHint } from './mail-hint';

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  mailUrl: string | null;
  choice: AllowanceChoice;
  challenge: Challenge;
  onSave: Actions['saveAllowance'];
  onBack(): void;
};

/** The code that permits the chosen allowance. */
export function AllowanceCodeStep({
  say,
  language,
  visit,
  mailUrl,
  choice,
  challenge,
  onSave,
  onBack,
}: Props) {
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const count = countCredits(choice.credits, language);

  async function confirm(code: string): Promise<boolean> {
    setBusy(true);
    const failure = await onSave(choice, { challenge_id: challenge.id, code });
    setError(failure);
    setBusy(false);
    return failure === undefined;
  }

  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle focus={false}>{say.allowanceCodeTitle}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">
        {withPart(
          (email) => say.allowanceCodeText({ app: visit.app_name, count, email }),
          <strong className="font-medium wrap-anywhere text-text">{visit.email}</strong>,
        )}
      </p>
      <CodeEntry
        words={{ ...say, signIn: say.allow({ count }) }}
        hint={say.codeHint}
        error={error}
        challenge={challenge}
        isBusy={isBusy}
        onType={() => setError(undefined)}
        onCode={confirm}
        onResend={async () => setError(await onSave(choice))}
      />
      <Button look="quiet" className="mt-1 w-full" onClick={onBack}>
        {say.back}
      </Button>
      <MailHint say={say} mailUrl={mailUrl} />
    </section>
  );
}
