import type { SentEvent } from './objects';

const PATHS: Readonly<Record<string, string>> = {
  'checkout.session': 'checkout/sessions',
  'radar.early_fraud_warning': 'radar/early_fraud_warnings',
};

/** The same event with only the address of its object, for an endpoint with thin payloads. */
export function toThinEvent({ id, created, type, data, account }: SentEvent): object {
  const { object, id: objectId } = data.object as { object: string; id: string };
  return {
    id,
    object: 'v2.core.event',
    type: `v1.${type}`,
    created: new Date(created * 1000).toISOString(),
    livemode: false,
    ...(account !== undefined && { context: account }),
    related_object: { id: objectId, type: object, url: `/v1/${PATHS[object] ?? `${object}s`}/${objectId}` },
  };
}
