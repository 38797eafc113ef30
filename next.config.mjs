/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // `npm run check` checks types once for everything.
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: import.meta.dirname },
  serverExternalPackages: [
    '@prisma/client',
    '@prisma/adapter-pg',
    'pg',
    'pino',
    'nodemailer',
    'stripe',
    'undici',
  ],
  allowedDevOrigins: ['demo.localhost'],
};
