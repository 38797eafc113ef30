import { API_ROUTES } from './api-routes';
import { buildRouteTable } from './route-table';
import type { Target } from './target';

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
    'logos',
    'operator',
    'partner',
  ].concat(
    [
      'pricing',
      'redeem',
      'revoke-key',
      'sign-in',
      'status',
      'stop',
      'team',
      'undo-email',
      'unsubscribe',
      'v1',
    ],
    ['icon.svg', 'llms.txt', 'llms-full.txt', 'robots.txt', 'sitemap.xml', 'skill.md'],
  ),
);

export function labelRoute({ pathname, apiPath }: Target): string {
  if (apiPath !== null)
    return (findLabel(apiPath)?.module as { route: string } | undefined)?.route ?? '/v1/*';
  const [, section = ''] = pathname.split('/', 2);
  return SECTIONS.has(section) ? `/${section}` : 'other';
}
