'use client';

import { ReasonButton } from '../reason-button';
import { type ResumeSubject, resume } from './actions';

export function ResumeButton({ subject, name }: { subject: ResumeSubject; name: string }) {
  return (
    <ReasonButton
      label="Resume"
      title={`Resume ${name}?`}
      consequence={
        subject.kind === 'user'
          ? 'Requests of this user are accepted again in every app, and the sum of overruns starts from zero.'
          : 'Requests in this app are accepted again for all users, and the sum of overruns starts from zero.'
      }
      describe={name}
      action={(reason) => resume({ subject, reason })}
    />
  );
}
