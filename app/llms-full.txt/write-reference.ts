import type { OpenApiDocument } from '@/server/api/openapi/document';
import { firstExample, writeCurl } from '../(site)/docs/api/curl';
import { type Endpoint, operationsOf } from '../(site)/docs/api/operations-of';

/** The API reference as Markdown, generated from the OpenAPI document. */
export function writeReference(document: OpenApiDocument, base: string): string {
  const groups = document.tags.map(({ name, description }) => {
    const endpoints = operationsOf(document, name).map((endpoint) =>
      name === 'webhooks' ? writeEvent(endpoint) : writeEndpoint(endpoint, base),
    );
    return [`## ${name}`, description, ...endpoints].join('\n\n');
  });
  return ['# API reference', ...groups].join('\n\n');
}

function writeEndpoint(endpoint: Endpoint, base: string): string {
  const { method, path, operation } = endpoint;
  const { responses, parameters = [] } = operation;
  const example = firstExample(responses['200']?.content?.['application/json']?.examples);
  const errors = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(
      ([status, { content }]) =>
        `${status} ${Object.keys(content?.['application/json']?.examples ?? {}).join(', ')}`,
    );
  return [
    `### ${method.toUpperCase()} ${path}`,
    operation.description,
    ...parameters.map(
      ({ name, in: place, required, description }) =>
        `- \`${name}\` (${place}${required ? ', required' : ''}): ${description}`,
    ),
    fence('sh', writeCurl(endpoint, base)),
    fence('json', JSON.stringify(example, null, 2)),
    `Errors: ${errors.join('; ')}`,
  ].join('\n\n');
}

function writeEvent({ path, operation }: Endpoint): string {
  const example = firstExample(operation.requestBody?.content['application/json']?.examples);
  return [`### ${path}`, operation.description, fence('json', JSON.stringify(example, null, 2))].join('\n\n');
}

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;
