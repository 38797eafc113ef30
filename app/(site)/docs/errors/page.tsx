import type { Metadata } from 'next';
import { ERROR_GUIDE, exampleError } from '@/server/api/openapi/error-guide';
import { ERROR_STATUS, type ErrorCode } from '@/server/base/errors';
import { CodeBlock } from '../../parts/code-block';
import { AnchoredHeading, InlineCode, ProseLine } from '../../parts/markdown';
import { WithHeadings } from '../on-this-page';

export const metadata: Metadata = {
  title: 'Errors',
  description: 'What every error code means and how to resolve it.',
};

type Status = (typeof ERROR_STATUS)[ErrorCode];

const STATUSES: Record<Status, string> = {
  400: 'Invalid request',
  401: 'Invalid or missing key',
  402: 'User action required',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  413: 'Request too large',
  414: 'URL too long',
  415: 'Unsupported encoding',
  429: 'Too many requests',
  431: 'Headers too large',
  500: 'Internal error',
  502: 'Provider error',
  503: 'Service unavailable',
};

const codesOf = (status: Status): ErrorCode[] =>
  (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => ERROR_STATUS[code] === status);

const json = (value: object): string => JSON.stringify(value, null, 2);

export default function ErrorsPage() {
  const statuses = [...new Set(Object.values(ERROR_STATUS))].sort((a, b) => a - b);
  return (
    <WithHeadings
      headings={statuses.map((status) => ({ id: String(status), title: `${status} ${STATUSES[status]}` }))}
    >
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[36px]">Errors</h1>
      <p className="mt-3 mb-5 text-lg leading-relaxed text-muted">
        Handle errors by the code in <InlineCode>error.type</InlineCode>, not by the message. The format
        depends on the path: <InlineCode>/v1/messages</InlineCode> returns errors in the messages format,
        paths under <InlineCode>/oauth</InlineCode> in that of OAuth, where <InlineCode>error</InlineCode> is
        the code, and every other path in the chat format, where <InlineCode>error.code</InlineCode> is the
        HTTP status.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <CodeBlock title="Chat format" language="json" code={json(exampleError('chat', 'model_not_found'))} />
        <CodeBlock
          title="Messages format"
          language="json"
          code={json(exampleError('messages', 'model_not_found'))}
        />
      </div>
      <p className="mt-5 leading-relaxed">
        Every response has an <InlineCode>x-request-id</InlineCode>: include it when you report a problem. For
        a <InlineCode>429</InlineCode>, the header <InlineCode>Retry-After</InlineCode> gives the time to
        wait. If a retry cannot succeed, the response includes <InlineCode>x-should-retry: false</InlineCode>,
        which the official clients respect. Once a stream has begun, an error arrives as an event of the
        stream.
      </p>
      <p className="mt-5 leading-relaxed">
        The OpenAI SDK, the Anthropic SDK and LangChain throw an error with the code in{' '}
        <InlineCode>error.type</InlineCode> and the status in <InlineCode>error.status</InlineCode>. The
        Vercel AI SDK provides them in <InlineCode>error.data.error.type</InlineCode> and{' '}
        <InlineCode>error.statusCode</InlineCode>; its <InlineCode>streamText</InlineCode> does not throw but
        calls <InlineCode>onError</InlineCode>.
      </p>
      {statuses.map((status) => (
        <section key={status} className="mt-10">
          <AnchoredHeading as="h2" id={String(status)} className="text-xl font-semibold">
            {status} <span className="font-normal text-muted">{STATUSES[status]}</span>
          </AnchoredHeading>
          <dl className="mt-3 divide-y divide-line border-y border-line">
            {codesOf(status).map((code) => (
              <div
                key={code}
                id={code}
                className="scroll-mt-24 py-4 target:bg-accent-soft sm:grid sm:grid-cols-[230px_1fr] sm:gap-6"
              >
                <dt>
                  <a
                    href={`#${code}`}
                    className="inline-block py-1 font-mono text-sm font-medium hover:underline"
                  >
                    {code}
                  </a>
                </dt>
                <dd className="mt-1 leading-relaxed sm:mt-0">
                  <ProseLine text={ERROR_GUIDE[code].when} />
                  <span className="mt-1 block text-muted">
                    <ProseLine text={ERROR_GUIDE[code].remedy} />
                  </span>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </WithHeadings>
  );
}
