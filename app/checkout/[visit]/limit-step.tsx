'use client';

import { Button, buttonClass } from '../../_ui/button';
import type { Language } from '../../_ui/language';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { VisitState } from './api';
import { LimitList } from './limit-list';

type Props = { say: Messages; language: Language; visit: VisitState; accountUrl: string; onBuy(): void };

/** A limit or a stop refuses requests, which neither an allowance nor a purchase changes. */
export function LimitStep({ say, language, visit, accountUrl, onBuy }: Props) {
  const isOfApp = visit.limited_by === 'partner';
  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.limitReachedTitle(visit.app_name)}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">
        {isOfApp ? say.appLimitReached(visit.app_name) : say.limitReached}
      </p>
      <LimitList say={say} language={language} limits={visit.limits} />
      <div className="mt-auto grid gap-2 pt-6">
        {!isOfApp && (
          <a
            href={`${accountUrl}/limits`}
            target="_blank"
            rel="noopener"
            className={`${buttonClass({ size: 'large' })} w-full`}
          >
            {say.changeLimits}
          </a>
        )}
        <Button
          look={isOfApp ? 'secondary' : 'quiet'}
          size={isOfApp ? 'large' : 'medium'}
          className="w-full"
          onClick={onBuy}
        >
          {say.amountTitle}
        </Button>
      </div>
    </section>
  );
}
