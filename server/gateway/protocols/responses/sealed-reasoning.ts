import type { ReasoningPart, RedactedReasoningPart } from '../neutral';
import { parseJson } from '../read-fields';

/**
 * The `encrypted_content` of reasoning that another provider than OpenAI wrote: its text and signature, as the
 * client sends them back. The content is not encrypted by us, because the client has the text anyway.
 */
const PREFIX = 'svc-reasoning.';

export const isOwnReasoning = (content: string): boolean => content.startsWith(PREFIX);

export function packReasoning(part: ReasoningPart | RedactedReasoningPart): string {
  const fields = part.type === 'reasoning' ? [part.text, part.signature] : [part.data];
  return PREFIX + Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** Null for reasoning of OpenAI, which no other provider can read, and for anything that was changed. */
export function unpackReasoning(content: string): ReasoningPart | RedactedReasoningPart | null {
  if (!isOwnReasoning(content)) return null;
  const fields = parseJson(Buffer.from(content.slice(PREFIX.length), 'base64url').toString());
  if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string')) return null;
  const [text, signature] = fields as string[];
  if (text === undefined) return null;
  return signature === undefined
    ? { type: 'redacted-reasoning', data: text }
    : { type: 'reasoning', text, signature };
}
