import type { ErrorCode } from '../../../base/errors';
import type { Operation } from '../operation';

const CLIENT_ID = 'svc_pk_4fJ8sKq2Lw9XvTzB1nRcYd7GhM3pE6aU0oI5';
const ISSUER = 'https://svc.example';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const DEVICE_CODE = 'svc_dc_Lw9XvTzB1nRcYd7GhM3pE6aU0oI5YdJ8sKq2Lw9';
const OF_CLIENT: ErrorCode[] = [
  'invalid_request',
  'invalid_publishable_key',
  'invalid_client',
  'partner_disabled',
  'request_too_large',
  'unsupported_encoding',
];

export const OAUTH: Operation[] = [
  {
    id: 'readServerMetadata',
    method: 'get',
    path: '/.well-known/oauth-authorization-server',
    group: 'oauth',
    summary: 'Retrieve the metadata',
    description:
      'Returns the endpoints and what they support (RFC 8414). OAuth clients read it, given only the base URL.',
    auth: 'none',
    response: {
      description: 'The metadata.',
      schema: 'ServerMetadata',
      example: {
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/auth/authorize`,
        token_endpoint: `${ISSUER}/oauth/token`,
        device_authorization_endpoint: `${ISSUER}/oauth/device`,
        revocation_endpoint: `${ISSUER}/oauth/revoke`,
        service_documentation: `${ISSUER}/docs/terminals`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', DEVICE_GRANT],
        code_challenge_methods_supported: ['S256'],
        scopes_supported: ['credits'],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      },
    },
    errorFormat: 'oauth',
    errors: [],
  },
  {
    id: 'readResourceMetadata',
    method: 'get',
    path: '/.well-known/oauth-protected-resource/mcp',
    group: 'oauth',
    summary: 'Retrieve the metadata of the MCP server',
    description:
      'Returns where the user of an MCP client signs in (RFC 9728). The client sends the access token to `/mcp`.',
    auth: 'none',
    response: {
      description: 'The metadata.',
      schema: 'ResourceMetadata',
      example: {
        resource: `${ISSUER}/mcp`,
        resource_name: 'svc',
        authorization_servers: [ISSUER],
        scopes_supported: ['credits'],
        bearer_methods_supported: ['header'],
        resource_documentation: `${ISSUER}/docs/agents`,
      },
    },
    errorFormat: 'oauth',
    errors: [],
  },
  {
    id: 'startDeviceAuthorization',
    method: 'post',
    path: '/oauth/device',
    group: 'oauth',
    summary: 'Begin on a device',
    description:
      'Begins the sign-in of a program without a browser (RFC 8628). Show the user code and the URL, then request the token every `interval` seconds. Accepts a form or JSON.',
    auth: 'none',
    body: {
      schema: 'DeviceRequest',
      asForm: true,
      examples: { one: { summary: 'A terminal', value: { client_id: CLIENT_ID } } },
    },
    response: {
      description: 'Codes for the program and for the user.',
      schema: 'DeviceAuthorization',
      example: {
        device_code: DEVICE_CODE,
        user_code: 'WDJB-MJHT',
        verification_uri: `${ISSUER}/device`,
        verification_uri_complete: `${ISSUER}/device?user_code=WDJB-MJHT`,
        expires_in: 600,
        interval: 5,
      },
    },
    errorFormat: 'oauth',
    errors: [...OF_CLIENT, 'origin_not_allowed', 'rate_limited'],
  },
  {
    id: 'requestToken',
    method: 'post',
    path: '/oauth/token',
    group: 'oauth',
    summary: 'Request a token',
    description:
      'Exchanges the code of a redirect, or the code of a device once the user has allowed it, for an access token: a user key. A second use of a code revokes the key that the first use created. Accepts a form or JSON.',
    auth: 'none',
    body: {
      schema: 'OauthTokenRequest',
      asForm: true,
      examples: {
        redirect: {
          summary: 'After a redirect',
          value: {
            grant_type: 'authorization_code',
            client_id: CLIENT_ID,
            code: 'svc_st_6aU0oI5YdJ8sKq2Lw9XvTzB1nRc7GhM3pE',
            code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
            redirect_uri: 'http://127.0.0.1:51004/back',
          },
        },
        device: {
          summary: 'On a device',
          value: { grant_type: DEVICE_GRANT, client_id: CLIENT_ID, device_code: DEVICE_CODE },
        },
      },
    },
    response: {
      description: 'The user is signed in.',
      schema: 'AccessToken',
      example: {
        access_token: 'svc_sk_7GhM3pE6aU0oI5YdJ8sKq2Lw9XvTzB1nRcQf',
        token_type: 'Bearer',
        scope: 'credits',
        key_id: 'key_9XvTzB1nRcYd7GhM3pE6aU',
        user_id: 'au_1nRcYd7GhM3pE6aU0oI5Kq',
        balance: 0,
        currency: 'credits',
        status: 'insufficient_credits',
      },
    },
    errorFormat: 'oauth',
    errors: [
      'invalid_grant',
      'unsupported_grant_type',
      'authorization_pending',
      'slow_down',
      'access_denied',
      'expired_token',
      ...OF_CLIENT,
    ],
  },
  {
    id: 'revokeToken',
    method: 'post',
    path: '/oauth/revoke',
    group: 'oauth',
    summary: 'Revoke a token',
    description:
      'Revokes a user key (RFC 7009), as `POST /v1/keys/revoke` does. The response is the same if there is no such key.',
    auth: 'none',
    body: {
      schema: 'RevocationRequest',
      asForm: true,
      examples: {
        one: {
          summary: 'A user key',
          value: { token: 'svc_sk_7GhM3pE6aU0oI5YdJ8sKq2Lw9XvTzB1nRcQf', client_id: CLIENT_ID },
        },
      },
    },
    response: { description: 'No such key works now.', schema: 'Revocation', example: {} },
    errorFormat: 'oauth',
    errors: [
      'invalid_request',
      'invalid_client',
      'request_too_large',
      'unsupported_encoding',
      'rate_limited',
    ],
  },
];
