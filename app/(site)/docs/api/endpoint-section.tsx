import type { ReactNode } from 'react';
import { firstExample, writeCurl } from '@/server/api/docs/curl';
import type { Endpoint } from '@/server/api/docs/operations-of';
import type { OpenApiContent, OpenApiDocument, OpenApiResponse } from '@/server/api/openapi/document';
import { CodeBlock } from '../../parts/code-block';
import { AnchoredHeading, InlineCode, ProseLine, TextLink } from '../../parts/markdown';
import { MethodBadge } from './method-badge';
import { Field, SchemaFields } from './schema-fields';

type Props = { endpoint: Endpoint; document: OpenApiDocument; base: string };

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';
const STREAM_TYPE = 'text/event-stream';

/** One endpoint: its parameters and response on the left, examples on the right. */
export function EndpointSection({ endpoint, document, base }: Props) {
  const { method, path, operation } = endpoint;
  const { schemas } = document.components;
  const { [JSON_TYPE]: json, [FORM_TYPE]: form } = operation.requestBody?.content ?? {};
  const body = json ?? form;
  const success = operation.responses['200'];
  return (
    <section className="border-t border-line pt-10 pb-14 first-of-type:border-0">
      <AnchoredHeading as="h2" id={operation.operationId} className="text-2xl font-semibold tracking-tight">
        {operation.summary}
      </AnchoredHeading>
      <p className="mt-2 flex flex-wrap items-center gap-3">
        <MethodBadge method={method} />
        <code className="font-mono text-sm wrap-anywhere">{path}</code>
      </p>
      <div className="mt-5 grid gap-8 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] xl:gap-10">
        <div className="min-w-0">
          <p className="leading-relaxed">
            <ProseLine text={operation.description} />
          </p>
          <Credential endpoint={endpoint} />
          <Parameters endpoint={endpoint} schemas={schemas} />
          {body && (
            <Part title="Body">
              <SchemaFields schema={body.schema} schemas={schemas} />
            </Part>
          )}
          {success && <ResponseFields response={success} document={document} />}
          <Errors responses={operation.responses} />
        </div>
        <div className="grid min-w-0 content-start gap-4 self-start xl:sticky xl:top-24">
          <CodeBlock title="Request" language="sh" code={writeCurl(endpoint, base)} />
          <MoreBodies content={body} />
          {success && <ResponseExamples response={success} />}
        </div>
      </div>
    </section>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mt-7">
      <h3 className="border-b border-line pb-2 text-sm font-medium">{title}</h3>
      {children}
    </div>
  );
}

function Credential({ endpoint: { operation } }: { endpoint: Endpoint }) {
  const needsKey = (operation.security ?? []).length > 0;
  return (
    <p className="mt-3 text-sm text-muted">
      {needsKey ? (
        <>
          Requires a user key. <TextLink href="/docs/api#authentication">Authentication</TextLink>
        </>
      ) : (
        'No user key required.'
      )}
    </p>
  );
}

type Schemas = OpenApiDocument['components']['schemas'];

function Parameters({ endpoint: { operation }, schemas }: { endpoint: Endpoint; schemas: Schemas }) {
  const titles = { path: 'Path', query: 'Query', header: 'Headers' } as const;
  return Object.entries(titles).map(([place, title]) => {
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    return parameters.length === 0 ? null : (
      <Part key={place} title={title}>
        <ul className="divide-y divide-line">
          {parameters.map(({ name, required, description, schema }) => (
            <Field
              key={name}
              name={name}
              isRequired={required}
              schema={{ ...schema, description }}
              schemas={schemas}
            />
          ))}
        </ul>
      </Part>
    );
  });
}

function ResponseFields({ response, document }: { response: OpenApiResponse; document: OpenApiDocument }) {
  const { schemas, headers } = document.components;
  const schema = response.content?.[JSON_TYPE]?.schema;
  const stream = response.content?.[STREAM_TYPE]?.schema as
    | { 'x-event-schema'?: { $ref: string } }
    | undefined;
  const event = stream?.['x-event-schema'];
  return (
    <Part title="Response 200">
      <p className="mt-3 text-sm leading-relaxed text-muted">
        <ProseLine text={response.description} />
      </p>
      {schema && <SchemaFields schema={schema} schemas={schemas} />}
      {event && (
        <details className="mt-2 rounded-lg border border-line">
          <summary className="px-3 py-2 text-[13px] text-muted hover:text-text">Stream events</summary>
          <div className="border-t border-line px-3">
            <SchemaFields schema={event} schemas={schemas} />
          </div>
        </details>
      )}
      <dl className="mt-3 grid gap-2 text-sm">
        {Object.keys(response.headers ?? {}).map((name) => (
          <div key={name}>
            <dt className="inline">
              <InlineCode>{name}</InlineCode>
            </dt>{' '}
            <dd className="inline text-muted">
              <ProseLine text={String(headers[name]?.description ?? '')} />
            </dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

function Errors({ responses }: { responses: Record<string, OpenApiResponse> }) {
  const errors = Object.entries(responses).filter(([status]) => /^[45]\d\d$/.test(status));
  return (
    <Part title="Errors">
      <ul className="mt-2 text-sm">
        {errors.flatMap(([status, { content }]) =>
          Object.keys(content?.[JSON_TYPE]?.examples ?? {}).map((code) => (
            <li key={code} className="flex items-baseline gap-3 py-1">
              <span className="w-8 shrink-0 text-muted tabular-nums">{status}</span>
              <a
                href={`/docs/errors#${code}`}
                className="inline-block py-1 font-mono text-[13px] hover:underline"
              >
                {code}
              </a>
            </li>
          )),
        )}
      </ul>
    </Part>
  );
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

function MoreBodies({ content }: { content: OpenApiContent | undefined }) {
  const [, ...more] = Object.values(content?.examples ?? {});
  return more.map(({ summary, value }) => (
    <details key={summary} className="group">
      <summary className="py-1 text-sm text-muted hover:text-text">Body: {summary}</summary>
      <div className="mt-2">
        <CodeBlock title={summary} language="json" code={json(value)} />
      </div>
    </details>
  ));
}

function ResponseExamples({ response }: { response: OpenApiResponse }) {
  const whole = firstExample(response.content?.[JSON_TYPE]?.examples);
  const stream = firstExample(response.content?.[STREAM_TYPE]?.examples);
  return (
    <>
      {whole !== undefined && <CodeBlock title="Response" language="json" code={json(whole)} />}
      {typeof stream === 'string' && (
        <details>
          <summary className="py-1 text-sm text-muted hover:text-text">Streamed response</summary>
          <div className="mt-2">
            <CodeBlock title="Stream" language="text" code={stream} />
          </div>
        </details>
      )}
    </>
  );
}
