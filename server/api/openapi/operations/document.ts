import type { Operation } from '../operation';

export const DOCUMENT: Operation[] = [
  {
    id: 'readDocument',
    method: 'get',
    path: '/v1/openapi.json',
    group: 'document',
    summary: 'Retrieve this document',
    description:
      'Returns the OpenAPI 3.1 document of this API, generated from the schemas that validate requests.',
    auth: 'none',
    response: { description: 'The document.', schema: 'Document', example: { openapi: '3.1.1' } },
    errorFormat: 'chat',
    errors: [],
  },
];
