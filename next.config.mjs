import { existsSync } from 'node:fs';
import { PHASE_DEVELOPMENT_SERVER } from 'next/constants.js';

/** The pages of the documentation as Markdown. */
const MARKDOWN = [
  { source: '/docs/:page.md', destination: '/docs/markdown/:page' },
  { source: '/docs/api/:page.md', destination: '/docs/markdown/api/:page' },
];

/** The process serves the API. While developing, the pages do, because only they reload what is changed. */
const OF_DEVELOPMENT = {
  pageExtensions: ['tsx', 'ts', 'api.ts'],
  // The same spellings of the API's paths that the process knows.
  rewrites: async () => [
    ...MARKDOWN,
    { source: '/v1/v1/:path*', destination: '/v1/:path*' },
    { source: '/chat/completions', destination: '/v1/chat/completions' },
    { source: '/messages', destination: '/v1/messages' },
    { source: '/messages/count_tokens', destination: '/v1/messages/count_tokens' },
    { source: '/models/:path*', destination: '/v1/models/:path*' },
  ],
};

/** @type {(phase: string) => import('next').NextConfig} */
export default (phase) => ({
  poweredByHeader: false,
  // No page uses it, and anyone could have it decode what they name.
  images: { unoptimized: true },
  pageExtensions: ['tsx', 'ts'],
  rewrites: async () => MARKDOWN,
  generateBuildId: () => process.env.PAGES_BUILD_ID ?? null,
  // Nobody waits for a title that is streamed after its page: ours are known at once.
  htmlLimitedBots: /.*/,
  // `npm run check` checks types once for everything.
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: import.meta.dirname },
  experimental: {
    // Nothing reads them: the log takes the place of an error from its stack.
    turbopackSourceMaps: false,
    // The first build of a clone or an image is often its only one, and writing the cache takes a quarter of its time.
    turbopackFileSystemCacheForBuild: existsSync('.next/BUILD_ID'),
    // Would load every page and, a second time, every endpoint of the API before the first request: 1.2 s of each start.
    preloadEntriesOnStart: false,
  },
  serverExternalPackages: [
    '@prisma/client',
    '@prisma/adapter-pg',
    'pdfkit',
    'fontkit',
    'pg',
    'pino',
    'nodemailer',
    'stripe',
    'undici',
  ],
  allowedDevOrigins: ['demo.localhost'],
  ...(phase === PHASE_DEVELOPMENT_SERVER && OF_DEVELOPMENT),
});
