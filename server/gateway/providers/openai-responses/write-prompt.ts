import type { Json, Prompt, SearchTool } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, refuse } from '../../protocols/read-fields';
import { SOURCES } from '../../protocols/responses/write';
import type { ToolNames } from '../../protocols/tool-ids';
import { chatCapabilities } from '../openai/chat-capabilities';
import { writeChatPrompt } from '../openai/write-prompt';
import type { RequestTarget } from '../request-target';

/**
 * A prompt of another format as a responses request, for what OpenAI offers only there: web search. It is written as
 * a chat request, by the same rules, and then put into items.
 */
export function writeResponsesPrompt(prompt: Prompt, target: RequestTarget, names: ToolNames): Json {
  const { profile, upstreamModel, searches } = target;
  const capabilities = {
    ...chatCapabilities(profile, upstreamModel, target),
    limitName: 'max_output_tokens' as const,
    onlyResponses: false,
    stop: false,
    toolsWithoutReasoning: false,
  };
  const { messages, tools, tool_choice, reasoning_effort, response_format, stream_options, ...shared } =
    writeChatPrompt(prompt, target, names, capabilities);
  const search = prompt.search === null ? [] : [writeSearchTool(prompt.search, target)];
  if (search.length > 0 && prompt.outputFormat?.type === 'json-object')
    throw refuse('response_format', 'json_object cannot be combined with web search: use json_schema');
  const onlySearches = prompt.toolChoice?.type === 'search';
  const offered = [...(onlySearches ? [] : asArray(tools).map(writeTool)), ...search];
  const choice = writeToolChoice(prompt, tool_choice);
  const effort = fitSearchEffort(reasoning_effort, search.length > 0, target);
  return {
    ...shared,
    input: asArray(messages).flatMap((message) => writeItems(asObject(message))),
    ...(offered.length > 0 && { tools: offered }),
    ...(choice !== null && { tool_choice: choice }),
    ...(search.length > 0 && { max_tool_calls: searches, include: [SOURCES] }),
    ...(effort !== null && { reasoning: { effort } }),
    ...(isObject(response_format) && { text: { format: writeFormat(response_format) } }),
    ...(prompt.stream && { stream_options: { include_obfuscation: false } }),
    store: false,
  };
}

/** A model that reasons minimally cannot search. */
function fitSearchEffort(effort: unknown, searches: boolean, { warnings }: RequestTarget): string | null {
  if (effort == null) return null;
  if (effort !== 'minimal' || !searches) return asText(effort);
  warnings.push('{effort} was changed to low: this model searches only from there');
  return 'low';
}

/** The choice of the search is to call a tool when there is no other. */
function writeToolChoice({ toolChoice, tools }: Prompt, written: unknown): unknown {
  if (toolChoice === null) return null;
  if (toolChoice.type === 'search' || (toolChoice.type === 'any' && tools.length === 0)) return 'required';
  if (toolChoice.type === 'none') return 'none';
  const { type, function: called } = asObject(written);
  return type === 'function' ? { type, name: asObject(called).name } : (written ?? null);
}

function writeSearchTool(search: SearchTool, { warnings }: RequestTarget): Json {
  const { place, allowedDomains, blockedDomains, location, contextSize, maxResults } = search;
  for (const domain of [...allowedDomains, ...blockedDomains]) {
    if (/[/*]/.test(domain))
      throw refuse(place, 'this model filters by domain only: send example.com without a path or wildcard');
  }
  if (maxResults !== null) warnings.push('{search}.max_results was dropped');
  const filters = {
    ...(allowedDomains.length > 0 && { allowed_domains: allowedDomains }),
    ...(blockedDomains.length > 0 && { blocked_domains: blockedDomains }),
  };
  return {
    type: 'web_search',
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(location !== null && { user_location: { type: 'approximate', ...location } }),
    ...(contextSize !== null && { search_context_size: contextSize }),
  };
}

/** The strictness of this format is on unless it is switched off. */
function writeTool(tool: unknown): Json {
  const { name, description, parameters, strict } = asObject(asObject(tool).function);
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters,
    strict: strict === true,
  };
}

function writeFormat({ type, json_schema: named }: Json): Json {
  return { type, ...asObject(named) };
}

function writeItems({ role, content, tool_calls: calls, tool_call_id: callId }: Json): Json[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: callId, output: content }];
  const called = asArray(calls).map((call) => {
    const { id, function: written } = asObject(call);
    const { name, arguments: json } = asObject(written);
    return { type: 'function_call', call_id: id, name, arguments: json };
  });
  const text = role === 'assistant' ? 'output_text' : 'input_text';
  const parts =
    typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content).map(asObject);
  const written = parts.filter((part) => part.text !== '').map((part) => writePart(part, text));
  return written.length === 0 ? called : [{ type: 'message', role, content: written }, ...called];
}

function writePart({ type, text, image_url, file, ...breakpoint }: Json, textType: string): Json {
  if (type === 'image_url') {
    const { url, detail = 'auto' } = asObject(image_url);
    return { type: 'input_image', image_url: url, detail, ...breakpoint };
  }
  if (type === 'file') return { type: 'input_file', ...asObject(file), ...breakpoint };
  return { type: textType, text, ...breakpoint };
}
