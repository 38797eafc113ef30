'use client';

import { useEffect, useState } from 'react';
import type { Language } from '../../_ui/language';
import { readableOrigin } from '../../_ui/readable-origin';
import { findForeignAncestor, findOpener, isFramed, meetOpener, type Opener } from '../connect';
import { messagesFor } from '../messages';
import { FullMessage, OpeningMessage, Panel, WarningMark } from '../panel';
import { ProblemStep } from '../problem-step';
import { openVisit, type Refusal } from './open-visit';

type View =
  | { kind: 'loading' }
  | { kind: 'no_opener' }
  | { kind: 'broken' }
  | { kind: 'refused'; why: Refusal; origin: string };

export function Gate({ language }: { language: Language }) {
  const say = messagesFor(language);
  const [view, setView] = useState<View>({ kind: 'loading' });

  useEffect(() => {
    const rid = window.location.hash.slice(1);
    if (rid === '' || findOpener() === null) return setView({ kind: 'no_opener' });
    // In a sandboxed page, this document has no origin either.
    if (window.origin === 'null') return setView({ kind: 'refused', why: 'origin', origin: 'null' });
    let current = true;
    void meetOpener(rid)
      .then(pass)
      .then((refusal) => current && refusal && setView(refusal));
    return () => {
      current = false;
    };
  }, []);

  return (
    <Panel>
      {view.kind === 'loading' && <OpeningMessage text={say.loading} />}
      {view.kind === 'refused' && (
        <FullMessage title={say.refusedTitle} icon={<WarningMark />}>
          <p className="text-muted">{say.refused[view.why].text}</p>
          <RefusedOrigin origin={view.origin} />
          <p className="max-w-80 text-sm text-muted">{say.refused[view.why].hint}</p>
        </FullMessage>
      )}
      {view.kind === 'no_opener' && (
        <FullMessage title={say.noOpenerTitle}>
          <p className="text-muted">{say.noOpenerText}</p>
        </FullMessage>
      )}
      {view.kind === 'broken' && (
        <ProblemStep
          title={say.brokenTitle}
          text={say.brokenText}
          action={say.retry}
          onAction={() => window.location.reload()}
        />
      )}
    </Panel>
  );
}

function RefusedOrigin({ origin }: { origin: string }) {
  const readable = readableOrigin(origin);
  return (
    <p className="my-3 max-w-full rounded-lg bg-sunken px-4 py-2.5 text-sm break-all">
      <span className="font-mono">{origin}</span>
      {readable !== null && <span className="mt-1 block text-muted">{readable}</span>}
    </p>
  );
}

let passing: Promise<View | null> | undefined;

/**
 * Sends one request to the server. Continues to the page of the visit, or returns a view with the reason for
 * the refusal.
 */
function pass(opener: Opener): Promise<View | null> {
  passing ??= openVisitFor(opener);
  return passing;
}

async function openVisitFor({ origin, init, port }: Opener): Promise<View | null> {
  // After the decision of the server, the gate sends no further messages to the page.
  port.close();
  const foreign = origin === 'null' ? origin : findForeignAncestor(origin);
  if (foreign !== null) return { kind: 'refused', why: 'origin', origin: foreign };
  const result = await openVisit(origin, { ...init, display: displayOf(init) });
  if (result.kind === 'refused') return { ...result, origin };
  if (result.kind === 'failed') return { kind: 'broken' };
  window.location.replace(`/checkout/${encodeURIComponent(result.visitId)}#${init.rid}`);
  return null;
}

/** A frame never counts as the user's own window, whatever display the page requests. */
function displayOf({ display }: Opener['init']): Opener['init']['display'] {
  if (isFramed()) return 'embedded';
  return display === 'embedded' ? 'popup' : display;
}
