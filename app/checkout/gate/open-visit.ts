import type { Init } from '@/widget/contract';

/**
 * The reason why a page may not sell: its origin is not registered, its key is unknown, or its app is
 * disabled.
 */
export type Refusal = 'origin' | 'key' | 'disabled';
type Result = { kind: 'open'; visitId: string } | { kind: 'refused'; why: Refusal } | { kind: 'failed' };

/** The server decides whether this origin may sell for this app. */
export async function openVisit(origin: string, init: Init): Promise<Result> {
  try {
    const response = await fetch('/checkout/api/visits', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        publishable_key: init.publishable_key,
        origin,
        display: init.display,
        currency: init.currency,
        challenge: init.challenge,
        ...(init.metadata && { metadata: init.metadata }),
      }),
    });
    if (response.status >= 400 && response.status < 500 && response.status !== 429)
      return { kind: 'refused', why: await readRefusal(response) };
    if (!response.ok) return { kind: 'failed' };
    const { visit_id: visitId } = (await response.json()) as { visit_id?: unknown };
    return typeof visitId === 'string' ? { kind: 'open', visitId } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' };
  }
}

/** Shown to the user in our own page, never reported to the page around it. */
async function readRefusal(response: Response): Promise<Refusal> {
  const { error } = (await response.json()) as { error?: { type?: string } };
  if (error?.type === 'invalid_publishable_key') return 'key';
  return error?.type === 'partner_disabled' ? 'disabled' : 'origin';
}
