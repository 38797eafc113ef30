import Stripe from 'stripe';

/** Stripe's own client, connected to a sandbox. */
export function sandboxStripe(sandboxUrl: string, secretKey: string): Stripe {
  const { hostname: host, port } = new URL(sandboxUrl);
  return new Stripe(secretKey, { host, port, protocol: 'http', telemetry: false });
}
