'use client';

import { Panel } from '../panel';
import { ProblemStep } from '../problem-step';

export function Unavailable(words: { title: string; text: string; action: string }) {
  return (
    <Panel>
      <ProblemStep {...words} onAction={() => window.location.reload()} />
    </Panel>
  );
}
