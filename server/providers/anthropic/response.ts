import { writeExactly } from '../../protocols/exact-numbers';
import type { Citation, Json, ModelResponse, ResponsePart, StopReason } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, parseJson } from '../../protocols/read-fields';
import type { ResponseFacts } from '../exchange';
import { brokenResponse, RefusedResponse, readEmbeddedFailure } from '../provider-failure';
import { readUsage } from './usage';

const STOP_REASONS: Record<string, StopReason> = {
  end_turn: 'end',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

/**
 * An unlisted reason is a normal end. A call of our own JSON tool does not count as a tool call of the
 * client.
 */
export function readStopReason(reported: string, { jsonTool }: { jsonTool: string | null }): StopReason {
  const reason = STOP_REASONS[reported] ?? 'end';
  return reason === 'tool-use' && jsonTool !== null ? 'end' : reason;
}

/** Returns the parsed message; throws when it is an error, or not a message. */
export function parseMessage(text: string, parse: (json: string) => unknown = parseJson): Json {
  const message = asObject(parse(text));
  if (message.error) throw new RefusedResponse(readEmbeddedFailure(message));
  if (!Array.isArray(message.content)) throw brokenResponse('the provider sent no response').error;
  return message;
}

export function readFacts(message: Json): ResponseFacts {
  const blocks = asArray(message.content).map(asObject);
  return {
    usage: readUsage(message.usage),
    providerCost: null,
    outputBytes: blocks.reduce((sum, block) => sum + countBlockBytes(block), 0),
  };
}

function countBlockBytes(block: Json): number {
  const text = asText(block.text) + asText(block.thinking);
  return (
    Buffer.byteLength(text) + (isObject(block.input) ? Buffer.byteLength(JSON.stringify(block.input)) : 0)
  );
}

/** `jsonTool` names the tool that replaces JSON output: its arguments are the text. */
export function readResponse(message: Json, { jsonTool }: { jsonTool: string | null }): ModelResponse {
  const parts = asArray(message.content).flatMap((block) => readBlock(asObject(block), jsonTool));
  const hasJson = asArray(message.content).some((block) => isJsonCall(asObject(block), jsonTool));
  return {
    parts,
    usage: readUsage(message.usage),
    reason: readStopReason(asText(message.stop_reason), { jsonTool: hasJson ? jsonTool : null }),
    stopSequence: asText(message.stop_sequence) || null,
    explanation: asText(asObject(message.stop_details).explanation) || null,
  };
}

function readBlock(block: Json, jsonTool: string | null): ResponsePart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: asText(block.text), citations: readCitations(block.citations) }];
    case 'thinking':
      return [
        { type: 'reasoning', text: asText(block.thinking), signature: asText(block.signature) || null },
      ];
    case 'redacted_thinking':
      return [{ type: 'redacted-reasoning', data: asText(block.data) }];
    case 'tool_use': {
      const json = writeExactly(asObject(block.input));
      if (isJsonCall(block, jsonTool)) return [{ type: 'text', text: json, citations: [] }];
      return [{ type: 'tool-call', id: asText(block.id), name: asText(block.name), json }];
    }
    default:
      // Tools that run at the provider, and their results, are billed but not part of the response.
      return [];
  }
}

function isJsonCall(block: Json, jsonTool: string | null): boolean {
  return block.type === 'tool_use' && jsonTool !== null && block.name === jsonTool;
}

/** Only citations with a URL have a counterpart. */
export function readCitations(citations: unknown): Citation[] {
  return asArray(citations).flatMap((citation) => {
    const { url, title } = asObject(citation);
    return typeof url === 'string' ? [{ url, title: asText(title) }] : [];
  });
}
