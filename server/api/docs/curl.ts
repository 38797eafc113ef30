import type { Endpoint } from './operations-of';

/** The request as a curl command, using the first example of each part. */
export function writeCurl({ path, operation }: Endpoint, base: string): string {
  const parameters = operation.parameters ?? [];
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const query = new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
      .map(({ name, example }) => [name, String(example)]),
  );
  const headers = [
    ...(operation.security && operation.security.length > 0 ? ['Authorization: Bearer $SVC_USER_KEY'] : []),
    ...parameters
      .filter((parameter) => parameter.in === 'header' && parameter.example !== undefined)
      .map(({ name, example }) => `${name}: ${example}`),
  ];
  const body = firstExample(operation.requestBody?.content['application/json']?.examples);
  const form = firstExample(operation.requestBody?.content['multipart/form-data']?.examples);
  // Commas and slashes stay readable: the address is quoted.
  const search = query.size === 0 ? '' : `?${String(query).replaceAll('%2C', ',').replaceAll('%2F', '/')}`;
  const address = `${base}${filled}${search}`;
  return [
    `curl ${search === '' ? address : `'${address}'`}`,
    ...headers.map((header) => `-H "${header}"`),
    ...Object.entries(form ?? {}).map(([name, value]) => `-F "${name}=${value}"`),
    ...(body === undefined
      ? []
      : [
          `-H "Content-Type: application/json"`,
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ].join(' \\\n  ');
}

export function firstExample(examples: Record<string, { value: unknown }> | undefined): unknown {
  return Object.values(examples ?? {})[0]?.value;
}
