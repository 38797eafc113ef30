import { API_ROUTES } from './api-routes';
import { pathnameOf } from './pathname';
import { buildRouteTable } from './route-table';

/** The names of routes in metrics and in the access log. A path may contain a code or an id, these names do not. */

const findLabel = buildRouteTable(
  Object.fromEntries(Object.keys(API_ROUTES).map((route) => [route, { route }])),
);

/** The first segments of pages, and of the files next to them. */
const SECTIONS = new Set(
  [
    '',
    '_next',
    'account',
    'api',
    'auth',
    'checkout',
    'continue',
    'demo',
    'dev',
    'device',
    'docs',
    'operator',
    'partner',
  ].concat(
    ['pricing', 'redeem', 'revoke-key', 'sign-in', 'status', 'stop', 'team', 'unsubscribe', 'v1'],
    ['icon.svg', 'llms.txt', 'llms-full.txt', 'robots.txt', 'sitemap.xml'],
  ),
);

/** `path` is the route path of an API request, or null. */
export function labelRoute(path: string | null, url: string | undefined): string {
  if (path !== null) return (findLabel(path)?.module as { route: string } | undefined)?.route ?? '/v1/*';
  const [, section = ''] = pathnameOf(url).split('/', 2);
  return SECTIONS.has(section) ? `/${section}` : 'other';
}
