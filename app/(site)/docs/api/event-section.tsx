import { firstExample } from '@/server/api/docs/curl';
import type { Endpoint } from '@/server/api/docs/operations-of';
import type { OpenApiDocument } from '@/server/api/openapi/document';
import { CodeBlock } from '../../parts/code-block';
import { AnchoredHeading, ProseLine } from '../../parts/markdown';
import { SchemaFields } from './schema-fields';

/** One webhook event, as the endpoint receives it. */
export function EventSection({ endpoint, document }: { endpoint: Endpoint; document: OpenApiDocument }) {
  const { path: type, operation } = endpoint;
  const content = operation.requestBody?.content['application/json'];
  if (content === undefined) return null;
  return (
    <section className="border-t border-line pt-10 pb-14 first-of-type:border-0">
      <AnchoredHeading as="h2" id={type} className="font-mono text-xl font-semibold">
        {type}
      </AnchoredHeading>
      <div className="mt-4 grid gap-8 xl:grid-cols-2 xl:gap-10">
        <div className="min-w-0">
          <p className="font-medium">{operation.summary}</p>
          <p className="mt-1 leading-relaxed">
            <ProseLine text={operation.description} />
          </p>
          <h3 className="mt-6 border-b border-line pb-2 text-sm font-medium">Body</h3>
          <SchemaFields schema={content.schema} schemas={document.components.schemas} />
        </div>
        <div className="min-w-0 self-start xl:sticky xl:top-24">
          <CodeBlock
            title="Event"
            language="json"
            code={JSON.stringify(firstExample(content.examples), null, 2)}
          />
        </div>
      </div>
    </section>
  );
}
