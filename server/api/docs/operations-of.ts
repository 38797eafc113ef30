import type { OpenApiDocument, OpenApiOperation } from '../openapi/document';

export type Endpoint = { method: string; path: string; operation: OpenApiOperation };

/** The endpoints of a group, or the events for `webhooks`, in the order of the document. */
export function operationsOf(document: OpenApiDocument, group: string): Endpoint[] {
  const places = group === 'webhooks' ? document.webhooks : document.paths;
  return Object.entries(places).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(group))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}
