'use client';

import type { Language } from '../../_ui/language';
import { messagesFor } from '../messages';
import { Panel } from '../panel';
import { ProblemStep } from '../problem-step';

export function Unavailable({ language }: { language: Language }) {
  const say = messagesFor(language);
  return (
    <Panel>
      <ProblemStep
        title={say.brokenTitle}
        text={say.unavailableText}
        action={say.retry}
        onAction={() => window.location.reload()}
      />
    </Panel>
  );
}
