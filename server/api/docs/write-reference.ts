import { settings } from '../../base/env';
import { apiDocument } from '../openapi/document';
import { firstExample, writeCurl } from './curl';
import { type Endpoint, operationsOf } from './operations-of';
import type { Section } from './pages';

/** The endpoints of a group of the API reference, or its events, as Markdown from the OpenAPI document. */
export const writeGroup = (group: string): Section[] =>
  operationsOf(apiDocument(), group).map(group === 'webhooks' ? writeEvent : writeEndpoint);

function writeEndpoint(endpoint: Endpoint): Section {
  const { method, path, operation } = endpoint;
  const { responses, parameters = [] } = operation;
  const example = firstExample(responses['200']?.content?.['application/json']?.examples);
  const errors = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(
      ([status, { content }]) =>
        `${status} ${Object.keys(content?.['application/json']?.examples ?? {}).join(', ')}`,
    );
  const title = `${method.toUpperCase()} ${path}`;
  const parts = [
    `## ${title}`,
    operation.description,
    ...parameters.map(
      ({ name, in: place, required, description }) =>
        `- \`${name}\` (${place}${required ? ', required' : ''}): ${description}`,
    ),
    fence('sh', writeCurl(endpoint, settings().BASE_URL)),
    ...(example === undefined ? [] : [fence('json', JSON.stringify(example, null, 2))]),
    `Errors: ${errors.join('; ')}`,
  ];
  return { id: operation.operationId, title, text: parts.join('\n\n') };
}

function writeEvent({ path: type, operation }: Endpoint): Section {
  const example = firstExample(operation.requestBody?.content['application/json']?.examples);
  const parts = [`## ${type}`, operation.description, fence('json', JSON.stringify(example, null, 2))];
  return { id: type, title: type, text: parts.join('\n\n') };
}

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;
