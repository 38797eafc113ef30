import type { ErrorCode } from '../../../base/errors';
import type { Operation } from '../operation';

const KEY_ID = 'key_9XvTzB1nRcYd7GhM3pE6aU';
const TYPE = 'svc_user_key';

const KEY_ERRORS: ErrorCode[] = ['missing_api_key', 'invalid_user_key', 'partner_disabled', 'key_restricted'];

export const KEYS: Operation[] = [
  {
    id: 'mintRunKey',
    method: 'post',
    path: '/v1/keys',
    group: 'keys',
    summary: 'Mint a run key',
    description:
      'Mints a narrower key for one task: it has a budget and ends by itself. Its requests draw on the budgets of all keys above it, so it can never spend more than they have left. A run key mints others in turn, to a depth of three. No event is sent, and a user has at most 1,000 live run keys in an app.',
    auth: 'user-key',
    body: {
      schema: 'RunKeyRequest',
      examples: {
        task: {
          summary: 'Two dollars for an hour',
          value: { credits: 200, expires_in: 3600, models: ['sandbox/story'], label: 'nightly report' },
        },
      },
    },
    response: {
      description: 'The run key.',
      schema: 'RunKey',
      example: {
        user_key: 'svc_sk_7GhM3pE6aU0oI5YdJ8sKq2Lw9XvTzB1nRcQf',
        key_id: KEY_ID,
        credits: 200,
        expires_at: '2026-11-21T10:30:00.000Z',
        label: 'nightly report',
        models: ['sandbox/story'],
        requests: null,
      },
    },
    errorFormat: 'chat',
    errors: ['invalid_request', ...KEY_ERRORS, 'request_too_large', 'unsupported_encoding', 'rate_limited'],
  },
  {
    id: 'revokeBranch',
    method: 'delete',
    path: '/v1/keys/{id}',
    group: 'keys',
    summary: 'Revoke a run key',
    description:
      'Revokes the key of the request, or one that was minted below it, with all keys below that one. Their next requests are refused, and running ones end within two seconds.',
    auth: 'user-key',
    pathParameters: { id: { description: 'The id of the key.', example: KEY_ID } },
    response: {
      description: 'The branch was revoked.',
      schema: 'RevokedKey',
      example: { key_id: KEY_ID, revoked: true },
    },
    errorFormat: 'chat',
    errors: [...KEY_ERRORS, 'not_found'],
  },
  {
    id: 'revokeKey',
    method: 'post',
    path: '/v1/keys/revoke',
    group: 'keys',
    summary: 'Revoke a key',
    description:
      'Revokes the user key that the request carries, immediately and for good. Anyone who holds a key may revoke it, also where the key is restricted to other networks or websites. The app receives `user_key.revoked` with the reason `holder_revoked`.',
    auth: 'user-key',
    response: {
      description: 'The key was revoked.',
      schema: 'RevokedKey',
      example: { key_id: KEY_ID, revoked: true },
    },
    errorFormat: 'chat',
    errors: ['missing_api_key', 'invalid_user_key', 'rate_limited'],
  },
  {
    id: 'reportLeakedKeys',
    method: 'post',
    path: '/v1/secret-scanning',
    group: 'keys',
    summary: 'Report leaked keys',
    description:
      'Receives reports in the format of GitHub’s secret scanning partner program. Every live user key among the tokens is revoked with the reason `leaked`, and its owner is notified by e-mail. The body must be signed by a key of the scanner’s public list.',
    auth: 'none',
    requestHeaders: {
      'Github-Public-Key-Identifier': {
        description: 'The key of the public list that signed the body.',
        example: 'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c',
      },
      'Github-Public-Key-Signature': {
        description: 'The ECDSA P-256 signature with SHA-256 of the body as it is sent, in base64.',
        example:
          'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==',
      },
    },
    body: {
      schema: 'LeakReportRequest',
      examples: {
        one: {
          summary: 'A key in a commit',
          value: [
            {
              token: 'svc_sk_7GhM3pE6aU0oI5YdJ8sKq2Lw9XvTzB1nRcQf',
              type: TYPE,
              url: 'https://github.com/ada/notes/blob/main/.env',
              source: 'commit',
            },
          ],
        },
      },
    },
    response: {
      description: 'One label per token, in the same order.',
      schema: 'LeakVerdicts',
      example: [
        {
          token_hash: '7d5ba5b9e5c2f0a6f3a3a4b1f6d4a1e2c3b4a59687f8e9d0c1b2a3948576f5e4',
          token_type: TYPE,
          label: 'true_positive',
        },
      ],
    },
    errorFormat: 'chat',
    errors: [
      'invalid_request',
      'invalid_signature',
      'request_too_large',
      'unsupported_encoding',
      'rate_limited',
    ],
  },
];
