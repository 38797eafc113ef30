'use client';

import type { Language } from '@/texts/languages';
import { Button, buttonClass } from '../../_ui/button';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { LimitedBy, VisitState } from './api';
import { describeLimit, nameRemedy } from './describe-limit';
import { LimitList } from './limit-list';
import { StepActions } from './step-actions';
import { useReturn } from './use-return';

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  limit: LimitedBy;
  /** The address of the service. */
  home: string;
  onReturn(): void;
  onBuy(): void;
  onClose(): void;
};

/** A limit, a stop or a review refuses requests, which neither an allowance nor a purchase changes. */
export function LimitStep({ say, language, visit, limit, home, onReturn, onBuy, onClose }: Props) {
  const words = { say, language, app: visit.app_name };
  useReturn(onReturn);
  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.limitReachedTitle({ app: visit.app_name })}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">{describeLimit(limit, words)}</p>
      <LimitList say={say} language={language} limits={visit.limits} />
      <StepActions>
        {limit.path === null ? (
          <Button size="large" className="w-full" onClick={onClose}>
            {say.close}
          </Button>
        ) : (
          <a
            href={home + limit.path}
            target="_blank"
            rel="noopener"
            className={`${buttonClass({ size: 'large' })} h-auto! min-h-12 w-full py-2 whitespace-normal!`}
          >
            <span className="min-w-0 wrap-anywhere">{nameRemedy(limit, words)}</span>
          </a>
        )}
        {limit.kind !== 'review' && (
          <>
            <Button look="quiet" className="mt-2 w-full" onClick={onBuy}>
              {say.amountTitle}
            </Button>
            <p className="mt-1 text-center text-sm text-muted">{say.limitNotLifted}</p>
          </>
        )}
      </StepActions>
    </section>
  );
}
