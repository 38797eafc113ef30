/**
 * What may import what. `app/` handles HTTP and HTML, `server/` contains the rules, `prisma/` the data model, and
 * `widget/` runs on partners' pages. docs/architecture.md has the same table in words.
 */

const ROOMS = '(ledger|partners|people|gateway|payments|reports|api|operator|process)';
const API_ROUTES = '^app/(v1|auth|oauth|mcp|\\.well-known|metrics|livez|readyz|api/health)/';
const TEST = '\\.test\\.ts$';

const never = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: TEST },
  to,
});

/** Rooms of one floor import neither each other nor a room above. Types count. */
const floor = (rooms, above, comment) =>
  never(
    rooms.replace(/\W+/g, '-'),
    `^server/(${rooms})/`,
    { path: `^server/(${rooms}|${above})/`, pathNot: '^server/$1/' },
    comment,
  );

export default {
  forbidden: [
    never(
      'no-cycles',
      '^(app|server|widget|sandbox)/',
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
      'A cycle has no direction',
    ),
    floor(
      'ledger|partners',
      'people|gateway|payments|reports|api|operator|process',
      'Only the base is below',
    ),
    floor('people', 'gateway|payments|reports|api|operator|process', 'Users know no use case'),
    floor('gateway|payments', 'reports|api|operator|process', 'Requests and purchases are independent'),
    floor('reports', 'api|operator|process', 'Reports know no wire name'),
    floor('api|process', 'operator', 'Only commands use the process'),
    never(
      'doors',
      '^(app|widget|sandbox|server/[^/]+)/',
      {
        path: ['^server/ledger/(?!index\\.ts$)', '^(tests|e2e|scripts|lab)/'],
        pathNot: '^$1/',
      },
      'index.ts is the only door to the ledger, and the product knows no test',
    ),
    never(
      'wire-formats-are-pure',
      '^server/gateway/(protocols|providers)/',
      { path: ['^server/gateway/(run|counts)/', '^server/base/(env|db|clock|ids)\\.ts$'] },
      'URL, key and fetch are arguments',
    ),
    never(
      'server-not-to-app',
      '^(server|sandbox|widget)/',
      { path: '^app/', pathNot: `${API_ROUTES}.*route\\.api\\.ts$` },
      'The rules know no page; server/process serves the route files of the API',
    ),
    never(
      'api-without-next',
      API_ROUTES,
      { path: ['^node_modules/next/', '^next(/|$)'] },
      'server/main.ts serves these files without Next',
    ),
    never(
      'outside',
      '^(widget|sandbox|app)/',
      {
        path: [
          '^prisma/',
          '^server/base/db\\.ts$',
          '^server/process/(?!(health|metrics)/)',
          '^server/operator/cli/',
          '^widget/(?!(contract|api)\\.ts$)',
          '^sandbox/',
        ],
        pathNot: '^$1/',
      },
      'Pages run no SQL; of the widget, only its contract and its types are shared',
    ),
    never(
      'leaves',
      '^(widget|sandbox|app/_ui|server/base)/',
      { path: `^(app|server/${ROOMS})/`, pathNot: '^$1/' },
      'The base, components, the widget and the sandboxes know none of the rules',
    ),
    never(
      'texts-are-data',
      '^texts/',
      { pathNot: '^texts/' },
      'Everyone may show them, and they know nobody',
    ),
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^prisma/client/'] },
    exclude: { path: ['^\\.next/', '^\\.build/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
