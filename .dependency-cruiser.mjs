/**
 * The arrows of the house: `app/` speaks HTTP and HTML, `server/` knows the rules, `prisma/` keeps
 * the facts, `widget/` runs on other people's pages. docs/architecture.md has the same table in words.
 */

const LEAVES =
  '^server/(env|endpoints|db|replica|log|tracing|lock-account|measures|write-state|in-turn|clock|ids|tokens|credits|errors|mail|public-name|client-network|account-mail|cookies|describe-wait|open-sandboxes|scan-json|json-text|cut-json|printable|seal|keyed-hash|stop-link|traces|typed-limits|unsubscribe-link)\\.ts$';
const TEST = '\\.test\\.ts$';
const PRISMA_CLIENT = '^prisma/client/';

/** `from` may import, of what is ours, only `may` and itself. Types alone bind nothing at run time. */
const only = (name, from, may, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: TEST },
  to: {
    path: '^(app|server|prisma|widget|tests|e2e|scripts|lab)/',
    pathNot: [from, LEAVES, ...may],
    dependencyTypesNot: ['type-only'],
  },
});

const never = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: TEST },
  to,
});

export default {
  forbidden: [
    never(
      'no-cycles',
      '^(app|server|widget)/',
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
      'A circle has no direction',
    ),
    never(
      'server-not-to-app',
      '^server/',
      {
        path: '^app/',
        pathNot: '^app/(v1|auth|oauth|\\.well-known|metrics|livez|readyz|api/health)/.*route\\.api\\.ts$',
      },
      'The rules know no page; server/process serves the route files',
    ),
    never(
      'only-process-to-routes',
      '^server/(?!process/)',
      { path: '^app/' },
      'Only the process may serve the route files',
    ),
    never(
      'api-without-next',
      '^app/(v1|auth|oauth|\\.well-known|metrics|livez|readyz|api/health)/',
      { path: ['^node_modules/next/', '^next(/|$)'] },
      'server/main.ts serves these files without Next',
    ),
    never('ui-without-server', '^app/_ui/', { path: '^(server|prisma)/' }, 'Props in, markup out'),
    never('pages-not-to-prisma', '^app/', { path: ['^prisma/', '^server/db\\.ts$'] }, 'No SQL in app/'),
    never(
      'only-ledger-inside',
      '^(app|server)/(?!ledger/)',
      { path: '^server/ledger/', pathNot: '^server/ledger/index\\.ts$' },
      'index.ts is the only door to the money',
    ),
    never(
      'nothing-to-process',
      '^(app|server)/(?!(process|cli)/|main\\.ts$)',
      { path: '^server/process/' },
      'server/process starts the others',
    ),
    never(
      'not-to-tests',
      '^(app|server|widget)/',
      { path: '^(tests|e2e|lab|scripts)/' },
      'The product knows no test',
    ),
    only('leaves', LEAVES, [PRISMA_CLIENT], 'The leaves import nothing of ours but each other'),
    only('ledger', '^server/ledger/', [PRISMA_CLIENT], 'The ledger imports leaves only'),
    only('health', '^server/health/', [], 'Whether the instance can serve: what the leaves know'),
    only('rate-limit', '^server/rate-limit/', [], 'Counting knows nothing of what is counted'),
    only('invoices', '^server/invoices/', [PRISMA_CLIENT], 'Documents know no page and no processor'),
    only('pricing', '^server/pricing/', ['^server/protocols/neutral\\.ts$'], 'Pricing imports leaves only'),
    only('protocols', '^server/protocols/', ['^server/providers/'], 'Wire formats are pure'),
    only('providers', '^server/providers/', ['^server/protocols/'], 'Wire formats are pure'),
    never(
      'wire-formats-are-pure',
      '^server/(protocols|providers)/',
      { path: '^server/(env|db|clock|ids)\\.ts$' },
      'URL, key and fetch are arguments',
    ),
    only(
      'http',
      '^server/http/',
      ['^server/partners/'],
      'Transport only: the bodies of endpoints are in server/api',
    ),
    {
      name: 'bodies-at-the-edge',
      comment: 'Features know no wire names: only routes and the API document use the bodies',
      severity: 'error',
      from: { path: '^server/', pathNot: ['^server/(api|openapi)/', TEST] },
      to: { path: '^server/api/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'keys',
      '^server/keys/',
      ['^server/webhooks/', PRISMA_CLIENT],
      'People and partners use keys, never the reverse',
    ),
    only('webhooks', '^server/webhooks/', [PRISMA_CLIENT], 'Events know nothing of what caused them'),
    only(
      'partners',
      '^server/partners/',
      ['^server/(webhooks|rate-limit)/', PRISMA_CLIENT],
      'Partners know no user',
    ),
    only(
      'identity',
      '^server/identity/',
      ['^server/(keys|partners|webhooks|ledger|rate-limit)/', PRISMA_CLIENT],
      'No use case above them',
    ),
    only(
      'payouts',
      '^server/payouts/',
      [
        '^server/(ledger|partners|invoices|rate-limit)/',
        '^server/checkout/stripe/(client|signed-event)\\.ts$',
        PRISMA_CLIENT,
      ],
      'Payouts know no page and no purchase',
    ),
    only(
      'warnings',
      '^server/warnings/',
      ['^server/(ledger|partners)/', PRISMA_CLIENT],
      'Warnings read what others have written',
    ),
    only(
      'statements',
      '^server/statements/',
      ['^server/ledger/', PRISMA_CLIENT],
      'Statements are made of what is booked',
    ),
    only(
      'corrections',
      '^server/corrections/',
      ['^server/(ledger|margin|pricing)/', '^server/protocols/neutral\\.ts$', PRISMA_CLIENT],
      'Corrections recompute what is booked',
    ),
    only('sandbox', '^server/sandbox/', [], 'Sandboxes stand in for others and know nothing of us'),
    only('widget', '^widget/', [], 'The widget runs on other people’s pages'),
    never(
      'widget-shares-its-contract',
      '^(app|server)/',
      { path: '^widget/', pathNot: '^widget/contract\\.ts$', dependencyTypesNot: ['type-only'] },
      'contract.ts is the one shared file',
    ),
  ],
  options: {
    doNotFollow: { path: ['node_modules', PRISMA_CLIENT] },
    exclude: { path: ['^\\.next/', '^\\.build/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
