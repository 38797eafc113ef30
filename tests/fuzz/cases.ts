import fc from 'fast-check';
import { apiDocument, type OpenApiOperation } from '@/server/api/openapi/document';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { APP_ROUTES } from '../harness/app-routes';
import { fromSchema, type Known } from './from-schema';
import { type Json, near, oddText, onceIn } from './mutate';
import { PROMPT, TYPED_EMAIL, type World } from './world';

/** Requests of every kind that the service takes, most of them near valid ones. */

export type Case = {
  /** The operation, action or route that is meant. */
  target: string;
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body: Buffer | null;
  /** The documented operation that must describe the response, unless the path was changed. */
  operation?: { path: string; method: string };
};

const S256 = 'c'.repeat(43);

/** As a part of a URL; half of a pair of surrogates has no form there. */
const encode = (text: string, maxCharacters: number): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '?')).slice(0, maxCharacters);

/** Real values of fields, by name: of the API, of actions and of the checkout's own routes. */
function knownValues({ app, managed, holder, visit, ids, made }: World): Known {
  return {
    model: ['sandbox/echo', 'sandbox-anthropic/echo', 'sandbox/story', 'sandbox/tool'],
    models: [['sandbox/echo'], 'sandbox/echo', []],
    messages: [
      [{ role: 'user', content: PROMPT }],
      [{ role: 'user', content: [{ type: 'text', text: PROMPT }] }],
    ],
    input: [PROMPT, [{ role: 'user', content: [{ type: 'input_text', text: PROMPT }] }]],
    previous_response_id: [made.api.response, made.pages.response],
    content: [PROMPT],
    text: [PROMPT],
    prompt: [PROMPT],
    max_tokens: [1, 20],
    n: [1],
    stream: [true, false],
    publishable_key: [app.publishableKey],
    client_id: [app.publishableKey],
    email: [TYPED_EMAIL],
    code: ['123456'],
    locale: ['de'],
    amount: [5, '5', 10],
    currency: ['usd', 'eur'],
    metadata: [{ seat: 7 }],
    return_url: ['http://localhost:9/'],
    challenge: [S256],
    code_challenge: [S256],
    code_challenge_method: ['S256'],
    code_verifier: [S256],
    grant_type: ['signin_token'],
    token: ['svc_st_none'],
    challenge_id: ['chl_none'],
    challengeId: ['chl_none'],
    origin: ['http://localhost:9', 'https://fuzz.example'],
    display: ['popup', 'embedded'],
    credits: [1, '1', null],
    save_id: ['fuzz-fuzz-1'],
    user_key: ['svc_sk_none'],
    visit_id: [visit.id],
    partnerId: [managed.id],
    userRef: [ids.ref, ids.foreignRef],
    appUserId: [holder.appUserId],
    reason: ['a test of it'],
    percent: ['10', '2.5'],
    days: ['60'],
    name: ['Fuzzed', TYPED_EMAIL],
    url: ['http://127.0.0.1:9/hook'],
    kind: ['give', 'take'],
    what: ['enable', 'hold'],
    changeId: ['7b1f3c52-59a5-4f0e-9d7e-0f5a4bb6a001'],
    teamId: [ids.team],
    payoutId: [ids.payout],
    role: ['viewer'],
    country: ['AT'],
    minimum: ['5'],
    reserve: ['5'],
    address: ['Pier 1'],
    taxId: [''],
    destination: [''],
    eventId: ['evt_none'],
    keyId: ['key_none'],
    sessionId: ['ses_none'],
    alertId: ['dp_none'],
    purchaseId: ['txn_none'],
    subject: [{ kind: 'user', userRef: ids.ref }],
    effectiveAt: ['2099-01-01T00:00:00Z'],
    redirect_uri: ['http://localhost:9/back'],
    state: [''],
  };
}

export function anyCase(world: World): fc.Arbitrary<Case> {
  const known = knownValues(world);
  return fc.oneof(
    { weight: 40, arbitrary: apiCase(world, known) },
    { weight: 36, arbitrary: actionCase(world, known) },
    { weight: 10, arbitrary: windowCase(world, known) },
    { weight: 14, arbitrary: pageCase(world) },
  );
}

// ── The API ──────────────────────────────────────────────────────────────────────────────────

function apiCase(world: World, known: Known): fc.Arbitrary<Case> {
  const operations = Object.entries(apiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      callOperation(world, known, { path, method, operation }),
    ),
  );
  return fc.oneof(...operations);
}

type Documented = { path: string; method: string; operation: OpenApiOperation };

function callOperation(
  world: World,
  known: Known,
  { path, method, operation }: Documented,
): fc.Arbitrary<Case> {
  const content = operation.requestBody?.content ?? {};
  const bodies = Object.values(content).flatMap(({ schema, examples = {} }) => [
    fromSchema(apiDocument(), schema, known),
    ...Object.values(examples).map(({ value }) => withKnown(value as Json, known)),
  ]);
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  return fc
    .record({
      given: fillPath(path, world),
      search: onceIn(
        query.length > 0 ? 2 : 5,
        querySearch(
          query.map(({ name }) => name),
          known,
        ),
        query.some(({ name }) => name === 'publishable_key')
          ? `?publishable_key=${world.app.publishableKey}`
          : '',
      ),
      headers: apiHeaders(world, path),
      type: contentType,
      body: bodies.length > 0 ? near(fc.oneof(...bodies)) : fc.constant(null),
    })
    .map(({ given, search, headers, type, body }) => ({
      target: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: given.path + search,
      headers: { ...headers, ...(body && type) },
      body,
      ...(given.isMeant && { operation: { path, method } }),
    }));
}

/** An example with real values where a field has a known name. */
const withKnown = (value: Json, known: Known): fc.Arbitrary<Json> =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? fc.constant(value)
    : (fc.record(
        Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [name, fc.constantFrom(...(known[name] ?? [inner]))]),
        ),
      ) as fc.Arbitrary<Json>);

const contentType: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ 'content-type': 'application/json' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      ...[{}, { 'content-type': 'application/x-www-form-urlencoded' }, { 'content-type': 'text/plain' }],
      ...[
        { 'content-type': 'multipart/form-data; boundary=x' },
        { 'content-type': 'application/json; charset=utf-16' },
      ],
      ...[{ 'content-encoding': 'gzip' }, { 'content-type': '' }, { 'content-type': 'x'.repeat(2_000) }],
    ),
  },
);

function apiHeaders(
  { spender, holder, app, backend }: World,
  path: string,
): fc.Arbitrary<Record<string, string>> {
  // A revoked key would leave all later requests at the door.
  const key = path === '/v1/keys/revoke' ? holder.userKey : spender.userKey;
  const credential = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constant({
        authorization: path === '/v1/events' ? `Basic ${btoa(backend)}` : `Bearer ${key}`,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Record<string, string>>({ 'x-api-key': key }, { 'x-user-key': key }),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Record<string, string>>(
        ...[
          {},
          { authorization: 'Bearer' },
          { authorization: `Basic ${key}` },
          { authorization: `bearer  ${key} ` },
        ],
        ...[
          { authorization: `Bearer ${app.publishableKey}` },
          { authorization: `Bearer ${'s'.repeat(6_000)}` },
        ],
        ...[
          { authorization: `Bearer ${key.slice(0, -1)}` },
          { 'x-api-key': 'svc_sk_', authorization: `Bearer ${key}` },
        ],
      ),
    },
  );
  const others = fc.dictionary(
    fc.constantFrom(...HEADER_NAMES),
    oddText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 500)),
    { maxKeys: 3 },
  );
  return fc.tuple(credential, onceIn(3, others, {})).map(([own, odd]) => ({ ...odd, ...own }));
}

const HEADER_NAMES = [
  'origin',
  'referer',
  'accept',
  'accept-language',
  'cookie',
  'range',
  'if-none-match',
  'user-agent',
  'host',
  'x-forwarded-for',
  'x-forwarded-host',
  'forwarded',
  'x-svc-client-address',
  'x-http-method-override',
  'idempotency-key',
  'anthropic-version',
  'anthropic-beta',
  'x-middleware-subrequest',
  'next-action',
  'rsc',
  'sec-fetch-site',
  'x-request-id',
  'traceparent',
  'authorization',
  'x-user-key',
  'x-stainless-retry-count',
];

/** Mostly the documented path, with ids that exist or do not; otherwise a path near it. */
function fillPath(
  pattern: string,
  { ids, made, app }: World,
): fc.Arbitrary<{ path: string; isMeant: boolean }> {
  const values = [
    made.api.request,
    made.api.session,
    made.api.response,
    made.pages.response,
    'sandbox/echo',
    'sandbox%2Fecho',
    app.id,
    ids.ref,
    'none',
  ];
  const own = fc
    .constantFrom(...values)
    .map((value) => ({ path: pattern.replace(/\{\w+\}/g, value), isMeant: true }));
  const near = oddText.map((text) => {
    const odd = encode(text, 1_500);
    const isOpen = pattern.includes('{');
    return { path: isOpen ? pattern.replace(/\{\w+\}/g, odd) : `${pattern}/${odd}`, isMeant: false };
  });
  const spelt = fc.constantFrom('//', '/./', '/%2e%2e/', '/%00', '/%E0', ';a=b').map((text) => ({
    path: pattern.replace(/\{\w+\}/g, 'none').replace(/\/(?=[^/]*$)/, text),
    isMeant: false,
  }));
  return fc.oneof(
    { weight: 9, arbitrary: own },
    { weight: 2, arbitrary: near },
    { weight: 1, arbitrary: spelt },
  );
}

function querySearch(names: string[], known: Known): fc.Arbitrary<string> {
  const name = names.length > 0 ? fc.oneof(fc.constantFrom(...names), oddText) : oddText;
  const value = fc.oneof(
    oddText,
    fc.constantFrom('1', '0', '-1', '1e3', '200', '10000000000000000000', '2026-02-30', '', ...texts(known)),
  );
  return fc
    .array(fc.tuple(name, value), { maxLength: 4 })
    .map((pairs) => `?${pairs.map(([one, two]) => `${encode(one, 1_000)}=${encode(two, 1_000)}`).join('&')}`);
}

const texts = (known: Known): string[] =>
  ['publishable_key', 'model', 'currency']
    .flatMap((name) => known[name] ?? [])
    .filter((text) => typeof text === 'string');

// ── Server actions ───────────────────────────────────────────────────────────────────────────

/** Actions that end sessions: they get those of a user whom no other request needs. */
const ENDING = /^(logOut|signOut|enterCode|delete)/;

const anybody = fc.constantFrom('operator', 'owner', 'user', null);

/** The person whose pages these are. */
function personFor(place: string): 'operator' | 'owner' | 'user' {
  if (place.startsWith('/operator')) return 'operator';
  return place.startsWith('/partner') ? 'owner' : 'user';
}

/** Each gets fields of every known name: it picks its own. */
function actionCase(world: World, known: Known): fc.Arbitrary<Case> {
  const { dashboard } = world;
  const fields = fc.record(
    Object.fromEntries(Object.entries(known).map(([name, values]) => [name, fc.constantFrom(...values)])),
  ) as fc.Arbitrary<Json>;
  const input = fc.oneof(
    { weight: 6, arbitrary: fields.map((all) => [all]) },
    fc.constantFrom<Json>([], ['$undefined']),
  );
  return fc
    .record({
      action: fc.constantFrom(...dashboard.actionNames),
      body: near(input as fc.Arbitrary<Json>),
      who: onceIn(4, anybody, 'its person' as const),
      form: onceIn(6, fc.constantFrom('reference', 'named', 'multipart'), null),
    })
    .map(({ action, body, who, form }) => {
      const { id, page } = dashboard.find(action);
      const person = who === 'its person' ? personFor(page) : who;
      const sender = person && ENDING.test(action) ? 'leaver' : person;
      const cookie = sender ? { cookie: `${SESSION_COOKIE}=${world.tokens[sender]}` } : {};
      const headers = { ...dashboard.ownPage, ...cookie, accept: 'text/x-component' };
      const common = { target: `action ${action}`, method: 'POST', path: page };
      if (form === null)
        return {
          ...common,
          headers: { ...headers, 'next-action': id, 'content-type': 'text/plain;charset=UTF-8' },
          body,
        };
      const boundary = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      const named = form === 'named' ? {} : { 'next-action': id };
      return {
        ...common,
        headers: { ...headers, ...boundary, ...(form === 'multipart' ? named : {}) },
        body: writeForm(form, id, body),
      };
    });
}

/** Parsers refuse shorter ones. */
const BOUNDARY = '-fuzz'.repeat(7);

/** As React encodes an action and its arguments in a form. */
function writeForm(form: string, id: string, body: Buffer): Buffer {
  const parts: [string, Buffer | string][] =
    form === 'reference'
      ? [
          ['$ACTION_REF_1', ''],
          ['$ACTION_1:0', JSON.stringify({ id, bound: '$@1' })],
          ['$ACTION_1:1', body],
        ]
      : form === 'named'
        ? [
            [`$ACTION_ID_${id}`, ''],
            ['field', body],
          ]
        : [
            ['1', body],
            ['0', '["$@1","$K1"]'],
          ];
  return Buffer.concat([
    ...parts.flatMap(([name, value]) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
}

// ── The checkout's own routes, and pages ─────────────────────────────────────────────────────

function windowCase({ dashboard, visit, tokens }: World, known: Known): fc.Arbitrary<Case> {
  const routes = APP_ROUTES.filter(({ place }) => place.startsWith('/checkout/api/'));
  const fields = fc.record(
    Object.fromEntries(Object.entries(known).map(([name, values]) => [name, fc.constantFrom(...values)])),
  ) as fc.Arbitrary<Json>;
  return fc
    .record({
      route: fc.constantFrom(...routes),
      method: fc.nat(9),
      id: fc.oneof({ weight: 9, arbitrary: fc.constant(visit.id) }, oddText),
      body: near(fields),
      type: contentType,
    })
    .map(({ route: { place, methods }, method: at, id, body, type }) => {
      const method = methods[at % methods.length] ?? 'GET';
      const cookie = `${visit.cookie}; ${SESSION_COOKIE}=${tokens.user}`;
      return {
        target: `${method} ${place}`,
        method,
        path: place.replace('[id]', encode(id, 2_000)).replace('[session]', 'cks_none'),
        headers: { ...dashboard.ownPage, ...type, cookie },
        body: method === 'GET' ? null : body,
      };
    });
}

/** Pages and exports, signed in, with any query. */
function pageCase({ managed, ids, made, tokens }: World): fc.Arbitrary<Case> {
  const places = APP_ROUTES.filter(
    ({ place, methods }) => methods.includes('GET') && !/^\/(v1|checkout\/api|metrics)/.test(place),
  );
  const names = [
    'period',
    'from',
    'to',
    'page',
    'app',
    'model',
    'status',
    'q',
    'sort',
    'cursor',
    'before',
    'redirect_uri',
    'session_id',
    'return_to',
    'publishable_key',
    'filter',
  ];
  return fc
    .record({
      place: fc.constantFrom(...places.map(({ place }) => place)),
      value: fc.oneof(
        {
          weight: 2,
          arbitrary: fc.constantFrom('none', managed.id, ...Object.values({ ...ids, ...made.pages })),
        },
        oddText,
      ),
      search: onceIn(2, querySearch(names, {}), ''),
      who: onceIn(4, anybody, 'its person' as const),
      rsc: onceIn(
        4,
        oddText.map((text) => encode(text, 300)),
        null,
      ),
    })
    .map(({ place, value, search, who, rsc }) => {
      const person = who === 'its person' ? personFor(place) : who;
      return {
        target: `GET ${place}`,
        method: 'GET',
        path: place.replace('[app]', managed.id).replace(/\[[.\w]+\]/g, encode(value, 900)) + search,
        headers: {
          ...(person && { cookie: `${SESSION_COOKIE}=${tokens[person]}` }),
          ...(rsc !== null && { rsc: '1', 'next-router-state-tree': rsc }),
        },
        body: null,
      };
    });
}
