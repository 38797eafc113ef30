import type { ModelResponse, ResponsePart, StreamEvent } from '../protocols/neutral';

/** A whole response as stream events, for providers that respond to a stream request with one object. */
export function responseEvents(response: ModelResponse): StreamEvent[] {
  let call = 0;
  const events: StreamEvent[] = [{ type: 'start' }];
  for (const part of response.parts) {
    events.push(...partEvents(part, call));
    if (part.type === 'tool-call') call++;
  }
  const { reason, stopSequence, explanation } = response;
  return [...events, { type: 'finish', reason, stopSequence, explanation }];
}

function partEvents(part: ResponsePart, call: number): StreamEvent[] {
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-delta', text: part.text },
        { type: 'text-end', citations: part.citations },
      ];
    case 'refusal':
      return [{ type: 'refusal-delta', text: part.text }];
    case 'reasoning':
      return [
        { type: 'reasoning-delta', text: part.text },
        { type: 'reasoning-end', signature: part.signature },
      ];
    case 'redacted-reasoning':
    case 'search':
      return [part];
    case 'tool-call':
      return [
        { ...part, type: 'tool-start', call },
        { type: 'tool-delta', call, json: part.json },
        { type: 'tool-end', call },
      ];
  }
}
