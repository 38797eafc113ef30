import { findForeignAncestor, findOpener, isFramed, meetOpener, type Opener } from '../connect';
import { openVisit, type Refusal } from './open-visit';

/** Why the gate does not lead to a checkout. */
export type DeadEnd =
  | { kind: 'no_opener' }
  | { kind: 'broken' }
  | { kind: 'refused'; why: Refusal; origin: string };

void passGate().then(async (deadEnd) => {
  if (deadEnd === null) return;
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve));
  const place = document.querySelector<HTMLElement>('#view');
  if (place === null) return;
  place.dataset.facts = JSON.stringify({ deadEnd });
  await import(place.dataset.script ?? '');
});

/** Continues to the page of the visit, or returns why it cannot. */
async function passGate(): Promise<DeadEnd | null> {
  const rid = window.location.hash.slice(1);
  if (rid === '' || findOpener() === null) return { kind: 'no_opener' };
  // In a sandboxed page, this document has no origin either.
  if (window.origin === 'null') return { kind: 'refused', why: 'origin', origin: 'null' };
  return openVisitFor(await meetOpener(rid));
}

/** Sends one request to the server. */
async function openVisitFor({ origin, init, port }: Opener): Promise<DeadEnd | null> {
  // After the decision of the server, the gate sends no further messages to the page.
  port.close();
  const foreign = origin === 'null' ? origin : findForeignAncestor(origin);
  if (foreign !== null) return { kind: 'refused', why: 'origin', origin: foreign };
  const result = await openVisit(origin, { ...init, display: displayOf(init) });
  if (result.kind === 'refused') return { ...result, origin };
  if (result.kind === 'failed') return { kind: 'broken' };
  // What the page chose, if it did.
  const locale = new URLSearchParams(window.location.search).get('locale');
  const search = locale === null ? '' : `?${new URLSearchParams({ locale })}`;
  window.location.replace(`/checkout/${encodeURIComponent(result.visitId)}${search}#${init.rid}`);
  return null;
}

/** A frame never counts as the user's own window, whatever display the page requests. */
function displayOf({ display }: Opener['init']): Opener['init']['display'] {
  if (isFramed()) return 'embedded';
  return display === 'embedded' ? 'popup' : display;
}
