import type { Init } from '@/widget/contract';

/** Why a page may not sell: it is not registered, its key is nobody's, or its app is disabled. */
export type Refusal = 'origin' | 'key' | 'disabled';
type Answer = { kind: 'open'; visitId: string } | { kind: 'refused'; why: Refusal } | { kind: 'failed' };

/** The server decides whether this origin may sell for this app. */
export async function openVisit(origin: string, init: Init): Promise<Answer> {
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

/** Told to whoever looks at our page, never to the page around it. */
async function readRefusal(response: Response): Promise<Refusal> {
  const { error } = (await response.json()) as { error?: { type?: string } };
  if (error?.type === 'invalid_publishable_key') return 'key';
  return error?.type === 'partner_disabled' ? 'disabled' : 'origin';
}
