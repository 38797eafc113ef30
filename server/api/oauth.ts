import { z } from 'zod';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { validate } from '../base/http/read-body';
import { DEVICE_PATH, type DeviceWait, type StartedDevice } from '../people/device-authorization';
import type { SignedIn } from '../people/signed-in';
import { signedInSchema, writeSignedIn } from './sign-in';

/** Requests and responses of the endpoints for OAuth clients. */

/** What a user key allows: the only scope, whatever a client asks for. */
const SCOPE = 'credits';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const client_id = z.string().meta({ description: 'The publishable key of the app.' });

export const serverMetadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  device_authorization_endpoint: z.string(),
  revocation_endpoint: z.string(),
  service_documentation: z.string(),
  response_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  revocation_endpoint_auth_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.literal(true),
});

export function writeServerMetadata(): z.output<typeof serverMetadataSchema> {
  const { origin: issuer } = new URL(settings().BASE_URL);
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    device_authorization_endpoint: `${issuer}/oauth/device`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    service_documentation: `${issuer}/docs/terminals`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', DEVICE_GRANT],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: [SCOPE],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}

export const resourceMetadataSchema = z.object({
  resource: z.string(),
  resource_name: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
  resource_documentation: z.string(),
});

export const resourceMetadataUrl = (): string =>
  new URL('/.well-known/oauth-protected-resource/mcp', settings().BASE_URL).href;

export function writeResourceMetadata(): z.output<typeof resourceMetadataSchema> {
  const { BASE_URL, BRAND_NAME } = settings();
  const { origin } = new URL(BASE_URL);
  return {
    resource: `${origin}/mcp`,
    resource_name: BRAND_NAME,
    authorization_servers: [origin],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ['header'],
    resource_documentation: `${origin}/docs/agents`,
  };
}

export const deviceRequestSchema = z.object({
  client_id,
  scope: z
    .string()
    .optional()
    .meta({ description: `Ignored. The only scope is \`${SCOPE}\`.` }),
});

export const deviceAuthorizationSchema = z.object({
  device_code: z.string().meta({ description: 'Send this to the token endpoint. Secret.' }),
  user_code: z.string().meta({ description: 'Show this to the user, who enters it in a browser.' }),
  verification_uri: z.string().meta({ description: 'Where the user enters the code.' }),
  verification_uri_complete: z
    .string()
    .meta({ description: 'The same with the code filled in, for a link or a QR code.' }),
  expires_in: z.int().meta({ description: 'Number of seconds until both codes expire.' }),
  interval: z.int().meta({ description: 'Number of seconds to wait before each request for the token.' }),
});

export function writeDeviceAuthorization(started: StartedDevice): z.output<typeof deviceAuthorizationSchema> {
  const page = new URL(DEVICE_PATH, settings().BASE_URL).href;
  return {
    device_code: started.deviceCode,
    user_code: started.userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${started.userCode}`,
    expires_in: started.expiresInSeconds,
    interval: started.intervalSeconds,
  };
}

export const oauthTokenRequestSchema = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    client_id,
    code: z.string().meta({ description: 'The one-time code that the browser returned with.' }),
    code_verifier: z.string().meta({ description: 'The secret whose S256 challenge was sent.' }),
    redirect_uri: z
      .string()
      .optional()
      .meta({ description: 'If sent, the URL that the browser returned to.' }),
  }),
  z.object({
    grant_type: z.literal(DEVICE_GRANT),
    client_id,
    device_code: z.string().meta({ description: 'From the device authorization endpoint.' }),
  }),
]);

/**
 * Clients have no secret (`token_endpoint_auth_methods_supported` is `none`). Some try `Authorization: Basic` first
 * and repeat the request without it if that is refused, which must happen before anything is counted or used up.
 */
export function refuseClientSecret({ headers }: Pick<Request, 'headers'>): void {
  if (headers.get('authorization') !== null) throw invalidClient();
}

export const invalidClient = (): ApiError =>
  new ApiError(
    'invalid_client',
    'Clients do not authenticate. Send client_id in the body, and no Authorization header.',
    { challenge: 'Basic realm="oauth"' },
  );

const GRANTS: readonly unknown[] = ['authorization_code', DEVICE_GRANT];

export function readOauthTokenRequest(
  fields: Record<string, unknown>,
): z.output<typeof oauthTokenRequestSchema> {
  const { grant_type: grant } = fields;
  if (typeof grant === 'string' && !GRANTS.includes(grant)) throw unsupportedGrantType();
  return validate(oauthTokenRequestSchema, fields);
}

export const unsupportedGrantType = (): ApiError =>
  new ApiError('unsupported_grant_type', `grant_type: expected ${GRANTS.join(' or ')}`, {
    param: 'grant_type',
  });

const WAITS: Record<DeviceWait, string> = {
  authorization_pending: 'Authorization is still pending. Poll again after the interval.',
  slow_down: 'Polling too fast. Wait 5 more seconds between requests.',
  access_denied: 'The user refused.',
  expired_token: 'The device code has expired. Begin again.',
};

export const deviceWait = (wait: DeviceWait): ApiError => new ApiError(wait, WAITS[wait]);

export const accessTokenSchema = signedInSchema.omit({ user_key: true }).extend({
  access_token: z.string().meta({ description: 'The user key. Returned only once; it does not expire.' }),
  token_type: z.literal('Bearer'),
  scope: z.literal(SCOPE),
});

export function writeAccessToken(signedIn: SignedIn): z.output<typeof accessTokenSchema> {
  const { user_key: access_token, ...rest } = writeSignedIn(signedIn);
  return { access_token, token_type: 'Bearer', scope: SCOPE, ...rest };
}

export const revocationSchema = z.object({
  token: z.string().meta({ description: 'The user key.' }),
  token_type_hint: z.string().optional().meta({ description: 'Ignored: there is only one type.' }),
  client_id: client_id.optional(),
});

export const revocationResponseSchema = z.object({}).meta({ description: 'An empty object.' });
