import { readCallArguments } from '../protocols/call-arguments';
import { CONVERSATION_PROTOCOLS, type ConversationRequest } from '../protocols/client-protocols';
import { writeExactly } from '../protocols/exact-numbers';
import type { Prompt } from '../protocols/neutral';
import { mapToolNames, type ToolNames, uniqueIds } from '../protocols/tool-ids';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import { readForcedCall, readForcedStream } from './forced-call';
import { mayHideOutput } from './hidden-output';
import { meteredUsage } from './metered-usage';
import { brokenResponse } from './provider-failure';
import { toTarget } from './request-target';
import { newFacts, relayStream, type StreamRelay } from './stream-relay';
import { translateStream } from './translate-stream';
import type { ReadContext, WireFormat } from './wire-format';

/** An exchange between two formats, through the neutral shape. */
export function translateExchange(
  options: ExchangeOptions,
  client: ConversationRequest,
  format: WireFormat,
): Exchange {
  const { provider, newId } = options;
  const protocol = CONVERSATION_PROTOCOLS[client.format];
  const target = toTarget(options);
  const { warnings } = target;
  protocol.refuseUnpriced(client, provider.deniedFields, target.searches);
  const prompt = protocol.readPrompt(client, warnings);
  const names = mapNames(prompt);
  const { body, jsonTool, forcedCall } = format.writePrompt(prompt, target, names);
  const context: ReadContext = { provider, newId, jsonTool, warnings };

  const newIds = () => uniqueIds(() => protocol.callIds(client), newId);

  function readWhole(text: string): WholeResponse {
    const json = format.parseResponse(text, provider);
    const facts = format.readFacts(json, provider);
    const { usage } = meteredUsage(facts, (isHidden) => options.estimate(facts.outputBytes, isHidden));
    const read = format.readResponse(json, context);
    const response = forcedCall === null ? read : readForcedCall(read, forcedCall, options);
    const uniqueId = newIds();
    const parts = response.parts.map((part) => {
      if (part.type !== 'tool-call') return part;
      if (part.name === '') throw brokenResponse('the provider sent a call without a name').error;
      const json = readCallArguments(part.json, () =>
        warnings.push('the arguments of a tool call were cut off'),
      );
      return { ...part, name: names.toClient(part.name), id: uniqueId(part.id), json };
    });
    return {
      body: writeExactly(protocol.writeResponse({ ...response, parts }, usage, options, client)),
      ...facts,
    };
  }

  function openStream(): StreamRelay {
    const facts = newFacts();
    const estimate = (isHidden: boolean) => options.estimate(facts.outputBytes, isHidden && facts.finished);
    const usage = () => meteredUsage(facts, estimate).usage;
    const read = format.readStream(facts, context);
    const reader = forcedCall === null ? read : readForcedStream(read, forcedCall, options);
    const writer = protocol.writeStream(client, options, usage);
    const isStrict = client.format === 'messages';
    const handler = translateStream({ reader, writer, facts, names, uniqueId: newIds(), isStrict, usage });
    return relayStream(handler, facts, protocol.frames);
  }

  return {
    path: format.path,
    headers: format.writeHeaders(options.clientHeaders, { isNative: false, warnings }),
    body,
    warnings,
    isShortened: target.isShortened,
    mayHideOutput: () => mayHideOutput(body, options),
    readWhole,
    openStream,
  };
}

function mapNames({ tools, messages }: Prompt): ToolNames {
  const called = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.name] : [])),
  );
  return mapToolNames([...tools.map(({ name }) => name), ...called]);
}
