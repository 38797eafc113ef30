import { settings } from '@/server/env';
import { navigation } from '../(site)/docs/navigation';

export const dynamic = 'force-dynamic';

/** What a language model should read first: https://llmstxt.org. */
export function GET(): Response {
  const { BASE_URL: base, BRAND_NAME: brand } = settings();
  const groups = navigation().map(
    ({ title, links }) =>
      `## ${title}\n\n${links.map(({ href, label }) => `- [${label}](${base}${href})`).join('\n')}`,
  );
  const text = `# ${brand}

> A prepaid-credit gateway for AI models. Users buy credits (100 = 1 USD) in a checkout that an app embeds with one script; the app sends chat-completions or messages requests with the user's key, and the user is charged by real token cost plus the app's commission.

Everything in one file: [llms-full.txt](${base}/llms-full.txt). The API for machines: [OpenAPI 3.1](${base}/v1/openapi.json). Models and prices: [GET /v1/models](${base}/v1/models).

- Chat-format clients use the address \`${base}/v1\`, messages-format clients \`${base}\`; both send the user key \`svc_sk_…\`.
- \`svc_pk_…\` is a publishable key: it names the app and is no secret.
- On 402 open the checkout (\`Svc.open()\`), do not retry; on 429 wait for \`Retry-After\`.

${groups.join('\n\n')}
`;
  return new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
