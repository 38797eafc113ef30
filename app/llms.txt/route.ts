import { findDocsPage } from '@/server/api/docs/pages';
import { settings } from '@/server/base/env';
import { navigation } from '../(site)/docs/navigation';

export const dynamic = 'force-dynamic';

/** An overview for language models: https://llmstxt.org. */
export function GET(): Response {
  const { BASE_URL: base, BRAND_NAME: brand } = settings();
  const groups = navigation().map(
    ({ title, links }) =>
      `## ${title}\n\n${links.map(({ href, label }) => `- [${label}](${base}${addressOf(href)})`).join('\n')}`,
  );
  const text = `# ${brand}

> A prepaid-credit gateway for AI models. Users buy credits (100 = 1 USD) in a checkout that apps embed with one script. Apps send chat-completions or messages requests with the user's key, and the user pays the real token cost plus the app's commission.

To integrate ${brand} into an app, follow [skill.md](${base}/skill.md). The MCP server [${base}/mcp](${base}/docs/agents.md) searches the documentation and reads balances and receipts.

Full documentation in one file: [llms-full.txt](${base}/llms-full.txt). Machine-readable API: [OpenAPI 3.1](${base}/v1/openapi.json). Models and prices: [GET /v1/models](${base}/v1/models).

- Chat-format clients use the base URL \`${base}/v1\`, messages-format clients \`${base}\`. Both send the user key \`svc_sk_…\`.
- \`svc_pk_…\` is a publishable key: it identifies the app and is not secret.
- On 402, open the checkout (\`Svc.open()\`), or show \`error.action_url\` in a terminal, and do not retry. On 429, wait for \`Retry-After\`.

${groups.join('\n\n')}
`;
  return new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

/** As Markdown, where a page has it. */
const addressOf = (href: string): string =>
  findDocsPage(href.replace('/docs/', '')) === null ? href : `${href}.md`;
