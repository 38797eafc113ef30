import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { operationsOf } from '@/server/api/docs/operations-of';
import { apiDocument } from '@/server/api/openapi/document';
import { GROUPS } from '@/server/api/openapi/operation';
import { settings } from '@/server/base/env';
import { CodeBlock } from '../../parts/code-block';
import { AnchoredHeading, InlineCode, TextLink } from '../../parts/markdown';
import { WithHeadings } from '../on-this-page';
import { MethodBadge } from './method-badge';

export const metadata: Metadata = { title: 'API reference', description: 'All endpoints of the API.' };

const HEADINGS = [
  { id: 'addresses', title: 'Base URLs' },
  { id: 'authentication', title: 'Authentication' },
  { id: 'endpoints', title: 'Endpoints' },
  { id: 'conventions', title: 'Conventions' },
];

export default function ApiPage() {
  const { BASE_URL: base } = settings();
  const document = apiDocument();
  return (
    <WithHeadings headings={HEADINGS}>
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[36px]">API reference</h1>
      <p className="mt-3 text-lg leading-relaxed text-muted">
        This reference is generated from the <TextLink href="/v1/openapi.json">OpenAPI 3.1 document</TextLink>
        , which is generated from the schemas that validate requests.
      </p>

      <Part id="addresses">
        <ul className="grid list-disc gap-2 pl-6">
          <li>
            Chat format (OpenAI): <InlineCode>{`${base}/v1`}</InlineCode>
          </li>
          <li>
            Messages format (Anthropic): <InlineCode>{base}</InlineCode>, because its clients append{' '}
            <InlineCode>/v1</InlineCode>
          </li>
        </ul>
      </Part>

      <Part id="authentication">
        <p>
          Send the user key in <InlineCode>Authorization: Bearer</InlineCode>,{' '}
          <InlineCode>x-api-key</InlineCode> or <InlineCode>X-User-Key</InlineCode>; the first value that
          starts with <InlineCode>svc_sk_</InlineCode> is used. Endpoints that create keys take the
          publishable key as a field; if a page calls them, its origin must be registered.
        </p>
        <CodeBlock
          language="sh"
          code={`curl ${base}/v1/credits/balance -H "Authorization: Bearer $SVC_USER_KEY"`}
        />
      </Part>

      <Part id="endpoints">
        <div className="grid gap-6">
          {Object.entries(GROUPS).map(([id, { title }]) => (
            <section key={id}>
              <h3 className="font-medium">{title}</h3>
              <ul className="mt-2 divide-y divide-line border-y border-line">
                {operationsOf(document, id).map(({ method, path, operation }) => (
                  <li key={operation.operationId}>
                    <a
                      href={`/docs/api/${id}#${operation.operationId}`}
                      className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 py-2.5 hover:bg-sunken"
                    >
                      <MethodBadge method={method} />
                      <code className="font-mono text-[13px] wrap-anywhere">{path}</code>
                      <span className="text-sm text-muted sm:ml-auto">{operation.summary}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </Part>

      <Part id="conventions">
        <ul className="grid list-disc gap-2 pl-6">
          <li>
            Bodies are JSON; names are <InlineCode>snake_case</InlineCode>; times are ISO 8601 in UTC.
          </li>
          <li>Credits are numbers with at most six decimals. 100 credits are 1 US dollar.</li>
          <li>New fields may be added to responses at any time: ignore fields that you do not know.</li>
          <li>Pages of any origin can call the endpoints that take a user key. The API reads no cookies.</li>
          <li>
            Request bodies can be up to 32 MB on the generation endpoints and 64 kB elsewhere. They may
            contain 100,000 values and field names, nested 128 levels deep.
          </li>
          <li>
            <TextLink href="/docs/errors">Errors</TextLink> lists all error codes.
          </li>
        </ul>
      </Part>
    </WithHeadings>
  );
}

function Part({ id, children }: { id: string; children: ReactNode }) {
  return (
    <section className="mt-10 grid min-w-0 gap-4 leading-relaxed">
      <AnchoredHeading as="h2" id={id} className="text-xl font-semibold">
        {HEADINGS.find((heading) => heading.id === id)?.title}
      </AnchoredHeading>
      {children}
    </section>
  );
}
