import type { ResponseLabels } from '../../protocols/client-protocol';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, parseObject } from '../../protocols/read-fields';
import { responsesProtocol } from '../../protocols/responses/protocol';
import type { ResponsesRequest } from '../../protocols/responses/schema';
import { repeatRequest, writeUsage } from '../../protocols/responses/write';
import { uniqueIds } from '../../protocols/tool-ids';
import type { ResponseFacts } from '../exchange';
import type { MeteredUsage } from '../metered-usage';
import { brokenResponse, findFailure, RefusedResponse } from '../provider-failure';
import { isWholeUsage, type ResponseOptions } from './fit-response';
import { readMetered } from './usage';

/** The parsed response; throws when it is an error, or none at all. */
export function parseResponse(text: string): Json {
  const response = parseObject(text);
  if (response === null) throw brokenResponse('the provider sent no response').error;
  const isEmpty = asArray(response.output).length === 0;
  const failure = findFailure(response, { says: Array.isArray(response.output) });
  if (failure !== null) throw isEmpty ? new RefusedResponse(failure) : failure.error;
  if (!Array.isArray(response.output) || !hasEnded(response))
    throw brokenResponse('the provider sent no response').error;
  return response;
}

const hasEnded = ({ status }: Json): boolean => status === 'completed' || status === 'incomplete';

export function readFacts(response: Json): ResponseFacts {
  const items = asArray(response.output).map(asObject);
  return {
    usage: readMetered(response),
    providerCost: null,
    outputBytes: items.reduce((sum, item) => sum + countItemBytes(item), 0),
  };
}

/** Bytes of output: the base of an estimate. */
function countItemBytes({ name, arguments: json, input, content, summary }: Json): number {
  const parts = [...asArray(content), ...asArray(summary)].map(asObject);
  const texts = parts.map(({ text, refusal }) => asText(text) + asText(refusal));
  return Buffer.byteLength([asText(name), asText(json), asText(input), ...texts].join(''));
}

/**
 * Writes what we changed in the request, or did not send, as the client sent it. The response is repaired in
 * place.
 */
export function repairResponse(
  response: Json,
  request: ResponsesRequest,
  { requestedModel }: Pick<ResponseLabels, 'requestedModel'>,
  metered: MeteredUsage | null,
): Json {
  Object.assign(response, repeatRequest(request), { model: requestedModel });
  response.max_output_tokens = request.max_output_tokens ?? null;
  if (response.max_tool_calls != null) response.max_tool_calls = request.max_tool_calls ?? null;
  if (metered !== null && (metered.estimated || !isWholeUsage(response.usage, { any: false })))
    response.usage = writeUsage(metered.usage);
  return response;
}

/** What a response needs to fit, for one exchange. */
export const toFitOptions = (
  request: ResponsesRequest,
  { newId, created }: ResponseLabels,
): ResponseOptions => ({
  newId,
  created,
  uniqueId: uniqueIds(() => responsesProtocol.callIds({ format: 'responses', body: request }), newId),
});
