import type { Init } from '@/widget/contract';

type Answer = { kind: 'open'; visitId: string } | { kind: 'refused' } | { kind: 'failed' };

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
    // A wrong key or a disabled app is refused the same way: nothing is told apart for strangers.
    if (response.status >= 400 && response.status < 500 && response.status !== 429)
      return { kind: 'refused' };
    if (!response.ok) return { kind: 'failed' };
    const { visit_id: visitId } = (await response.json()) as { visit_id?: unknown };
    return typeof visitId === 'string' ? { kind: 'open', visitId } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' };
  }
}
