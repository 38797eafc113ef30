import type { Metadata } from 'next';
import { ERROR_STATUS, type ErrorCode } from '@/server/errors';
import { ERROR_GUIDE, exampleError } from '@/server/openapi/error-guide';
import { CodeBlock } from '../../parts/code-block';
import { AnchoredHeading, InlineCode, ProseLine } from '../../parts/markdown';
import { WithHeadings } from '../on-this-page';

export const metadata: Metadata = {
  title: 'Errors',
  description: 'Every error code: what it means, and what to do.',
};

const STATUSES: Record<number, string> = {
  400: 'The request is wrong',
  401: 'The key is missing or wrong',
  402: 'The user has to decide',
  403: 'Not allowed',
  404: 'Not found',
  409: 'In conflict',
  413: 'Too large',
  429: 'Too many',
  500: 'Our fault',
  502: 'The provider’s fault',
  503: 'Busy',
};

const codesOf = (status: number): ErrorCode[] =>
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
        Decide by the code in <InlineCode>error.type</InlineCode>, not by the words. The path decides the
        shape: <InlineCode>/v1/messages</InlineCode> speaks its own format, every other path the chat format,
        in which <InlineCode>error.code</InlineCode> is the status.
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
        Every answer has an <InlineCode>x-request-id</InlineCode>: name it when you report a problem. A{' '}
        <InlineCode>429</InlineCode> says in <InlineCode>Retry-After</InlineCode> how long to wait. Where
        trying again cannot help, <InlineCode>x-should-retry: false</InlineCode> says so, and the official
        clients obey. Once a stream has begun, an error comes as an event of the stream.
      </p>
      <p className="mt-5 leading-relaxed">
        The OpenAI and the Anthropic SDK and LangChain throw an error that has the code in{' '}
        <InlineCode>error.type</InlineCode> and the status in <InlineCode>error.status</InlineCode>. The
        Vercel AI SDK has them in <InlineCode>error.data.error.type</InlineCode> and{' '}
        <InlineCode>error.statusCode</InlineCode>; its <InlineCode>streamText</InlineCode> throws nothing but
        tells its <InlineCode>onError</InlineCode>.
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
