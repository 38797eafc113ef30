import type { ResponseLabels } from '../client-protocol';
import type { Finish, Json, ReasoningPart, RedactedReasoningPart, StreamEvent } from '../neutral';
import { writePlaceholderSignature } from '../placeholder-signature';
import { packSignature } from '../tool-ids';
import {
  type Emit,
  type EndStatus,
  type ItemPosition,
  type OpenCall,
  type OpenItem,
  type OpenMessage,
  type OpenReasoning,
  openCall,
  openMessage,
  openReasoning,
  writeSearch,
} from './open-items';
import { packReasoning } from './sealed-reasoning';
import type { OfferedTool } from './tools';

export type OutputOptions = {
  labels: ResponseLabels;
  /** By the name under which the model sees them. */
  tools: ReadonlyMap<string, OfferedTool>;
  emit: Emit;
  /** Whether a search lists the pages that it found. */
  withSources: boolean;
};

export type OutputEvent = Exclude<StreamEvent, { type: 'start' | 'usage' | 'ping' }>;

/** Writes the events of a response as output items, in the order of their beginnings. */
export function writeOutput({ labels, tools, emit, withSources }: OutputOptions) {
  const items: Json[] = [];
  const calls = new Map<number, OpenCall>();
  let message: OpenMessage | null = null;
  let reasoning: OpenReasoning | null = null;
  let finish: Finish = { reason: 'end', stopSequence: null, explanation: null };
  let hasRefused = false;

  function write(event: OutputEvent): void {
    switch (event.type) {
      case 'text-delta':
        if (event.text !== '') requireMessage().addText(event.text);
        break;
      case 'refusal-delta':
        hasRefused = true;
        requireMessage().addRefusal(event.text);
        break;
      case 'text-end':
        message?.cite(event.citations);
        break;
      case 'reasoning-delta':
        requireReasoning().add(event.text);
        break;
      case 'reasoning-end':
        endReasoning(event.signature);
        break;
      case 'redacted-reasoning':
        addSealed({ type: 'redacted-reasoning', data: event.data });
        break;
      case 'search':
        endBlocks('completed');
        items.push(writeSearch(nextPosition('ws'), event, { withSources, emit }));
        break;
      case 'finish':
        finish = event;
        break;
      default:
        writeCall(event);
    }
  }

  function writeCall(event: Extract<StreamEvent, { type: `tool-${string}` }>): void {
    if (event.type === 'tool-start') {
      endBlocks('completed');
      const { name } = event;
      const tool = tools.get(name) ?? { isCustom: false, name, namespace: null };
      const position = nextPosition(tool.isCustom ? 'ctc' : 'fc');
      const callId = packSignature(event.id, event.thoughtSignature);
      calls.set(event.call, keep(openCall(position, callId, tool, emit)));
    } else if (event.type === 'tool-delta') calls.get(event.call)?.add(event.json);
    else endCall(event.call, 'completed');
  }

  function endCall(call: number, status: EndStatus): void {
    calls.get(call)?.end(status);
    calls.delete(call);
  }

  const nextPosition = (prefix: string): ItemPosition => ({
    id: `${prefix}_${labels.newId()}`,
    index: items.length,
  });

  function keep<Item extends OpenItem>(opened: Item): Item {
    items.push(opened.item);
    return opened;
  }

  function requireMessage(): OpenMessage {
    if (reasoning !== null) endReasoning(null);
    message ??= keep(openMessage(nextPosition('msg'), emit));
    return message;
  }

  function requireReasoning(): OpenReasoning {
    endMessage('completed');
    reasoning ??= keep(openReasoning(nextPosition('rs'), emit));
    return reasoning;
  }

  function endMessage(status: EndStatus): void {
    message?.end(status);
    message = null;
  }

  /** Without a signature, the reasoning names its provider, which may want it back. */
  function endReasoning(given: string | null, status: EndStatus = 'completed'): void {
    // Hidden reasoning has only a signature.
    if (reasoning === null && given === null) return;
    const { text } = requireReasoning();
    const signature = given ?? writePlaceholderSignature(labels.provider.name, labels.upstreamModel);
    sealReasoning({ type: 'reasoning', text, signature }, status);
  }

  function addSealed(part: RedactedReasoningPart): void {
    endBlocks('completed');
    requireReasoning();
    sealReasoning(part, 'completed');
  }

  function sealReasoning(part: ReasoningPart | RedactedReasoningPart, status: EndStatus): void {
    reasoning?.seal(packReasoning(part));
    reasoning?.end(status);
    reasoning = null;
  }

  function endBlocks(status: EndStatus): void {
    endReasoning(null, status);
    endMessage(status);
  }

  /** Ends what is open. Returns how the response ended. */
  function close(): { items: Json[]; incomplete: 'max_output_tokens' | 'content_filter' | null } {
    const { reason, explanation } = finish;
    const isCut = reason === 'length';
    const isExplained = reason === 'refusal' && (hasRefused || explanation !== null);
    if (reason === 'refusal' && !hasRefused && explanation !== null) requireMessage().addRefusal(explanation);
    const status = isCut ? 'incomplete' : 'completed';
    for (const call of [...calls.keys()]) endCall(call, status);
    endBlocks(status);
    if (isCut) return { items, incomplete: 'max_output_tokens' };
    return { items, incomplete: reason === 'refusal' && !isExplained ? 'content_filter' : null };
  }

  return { write, close, items };
}
