'use client';

import { Button } from '../_ui/button';
import { WarningMark } from './panel';
import { StepTitle } from './step-title';

type ProblemProps = { title: string; text: string; action: string; onAction(): void };

/** A problem and the one action that may solve it. */
export function ProblemStep({ title, text, action, onAction }: ProblemProps) {
  return (
    <div className="animate-appear flex flex-1 flex-col">
      <div role="alert" className="grid flex-1 place-content-center justify-items-center gap-2 text-center">
        <div className="mb-3">
          <WarningMark />
        </div>
        <StepTitle>{title}</StepTitle>
        <p className="max-w-80 text-muted">{text}</p>
      </div>
      <Button size="large" className="w-full" onClick={onAction}>
        {action}
      </Button>
    </div>
  );
}
