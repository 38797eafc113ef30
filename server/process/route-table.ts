/** Finds the route file of a path by Next's rules. */

export type Params = Record<string, string | string[]>;
type Handler = (request: Request, context: { params: Promise<Params> }) => Response | Promise<Response>;
export type Match = { module: object; params: Params };
export type FindRoute = (pathname: string) => Match | undefined;

export function buildRouteTable(routes: Record<string, object>): FindRoute {
  const entries = Object.entries(routes);
  const exact = new Map(
    entries
      .filter(([pattern]) => !pattern.includes('['))
      .map(([path, module]) => [path, { module, params: {} }]),
  );
  const patterns = entries
    .filter(([pattern]) => pattern.includes('['))
    .map(([pattern, module]) => ({ module, match: compile(pattern) }));

  return (pathname) => {
    const found = exact.get(pathname);
    if (found) return found;
    for (const { module, match } of patterns) {
      const params = match(pathname);
      if (params) return { module, params };
    }
    return undefined;
  };
}

/** The handler for the method. HEAD is a GET without its body. */
export function findHandler(module: object, method: string): Handler | undefined {
  const handlers = module as Partial<Record<string, Handler>>;
  if (method !== 'HEAD' || handlers.HEAD) return handlers[method];
  const get = handlers.GET;
  return (
    get &&
    (async (request, context) => {
      const response = await get(request, context);
      // What the body is read from would stay open. Nobody waits for its end.
      void response.body?.cancel().catch(() => {});
      return new Response(null, response);
    })
  );
}

/** Segments stay percent-encoded, as they were sent. */
function compile(pattern: string): (pathname: string) => Params | undefined {
  const names: { name: string; rest: boolean }[] = [];
  const source = pattern.replace(/\[(\.\.\.)?(\w+)\]/g, (_, dots: string | undefined, name: string) => {
    names.push({ name, rest: dots !== undefined });
    return dots === undefined ? '([^/]+)' : '(.+)';
  });
  const expression = new RegExp(`^${source}$`);
  return (pathname) => {
    const values = expression.exec(pathname)?.slice(1);
    return (
      values &&
      Object.fromEntries(
        names.map(({ name, rest }, i) => [name, rest ? (values[i] ?? '').split('/') : (values[i] ?? '')]),
      )
    );
  };
}
