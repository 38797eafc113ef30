import { asArray, asObject, asText, refuse } from '../read-fields';
import { refuseField } from '../read-options';
import type { CountTokensRequest } from './schema';

/** Fields that change the price or the model, or access an account. Values without an effect are allowed. */
const DENIED_FIELDS: Record<string, (value: unknown) => boolean> = {
  speed: (value) => value === 'standard',
  inference_geo: (value) => value === 'global',
  container: () => false,
  mcp_servers: (value) => asArray(value).length === 0,
  fallbacks: (value) => asArray(value).length === 0,
  thread: () => false,
};
/**
 * Tools that the provider runs. They are billed in addition to the tokens, or fetch pages whose tokens no
 * hold can predict.
 */
const BILLED_TOOLS = /^(web_search|web_fetch|code_execution|advisor|mcp)_/;

/**
 * For every provider, refuses features that the catalogue does not price, and files of the account that all
 * users share.
 */
export function refuseUnpricedMessages(request: CountTokensRequest): void {
  for (const [field, isIdle] of Object.entries(DENIED_FIELDS)) {
    const value = request[field];
    if (value !== undefined && value !== null && !isIdle(value)) throw refuseField(field);
  }
  const edits = asArray(asObject(request.context_management).edits).map(asObject);
  if (edits.some(({ type }) => asText(type).startsWith('compact')))
    throw refuseField('context_management.edits');
  for (const [index, tool] of (request.tools ?? []).entries()) {
    if (BILLED_TOOLS.test(asText(tool.type))) {
      throw refuse(
        `tools.${index}.type`,
        `tools of type ${asText(tool.type).slice(0, 40)} are not supported`,
      );
    }
  }
  for (const [index, message] of request.messages.entries())
    refuseFiles(message.content, `messages.${index}.content`);
}

function refuseFiles(content: unknown, param: string): void {
  for (const [index, block] of asArray(content).entries()) {
    const { type, source, content: inner } = asObject(block);
    const place = `${param}.${index}`;
    if (asObject(source).type === 'file' || type === 'container_upload') {
      throw refuse(place, 'uploaded files are not supported: send the content inline');
    }
    refuseFiles(inner, `${place}.content`);
  }
}
