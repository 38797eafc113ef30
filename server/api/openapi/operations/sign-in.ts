import type { ErrorCode } from '../../../base/errors';
import type { Operation } from '../operation';

const PUBLISHABLE_KEY = 'svc_pk_4fJ8sKq2Lw9XvTzB1nRcYd7GhM3pE6aU0oI5';
const CHALLENGE = 'ch_3pE6aU0oI5YdJ8sKq2Lw9X';
const SIGNED_IN = {
  user_key: 'svc_sk_7GhM3pE6aU0oI5YdJ8sKq2Lw9XvTzB1nRcQf',
  key_id: 'key_9XvTzB1nRcYd7GhM3pE6aU',
  user_id: 'au_1nRcYd7GhM3pE6aU0oI5Kq',
  balance: 0,
  currency: 'credits',
  status: 'insufficient_credits',
};
const APP_ERRORS: ErrorCode[] = [
  'invalid_request',
  'invalid_publishable_key',
  'origin_not_allowed',
  'partner_disabled',
  'request_too_large',
  'unsupported_encoding',
  'rate_limited',
];

export const SIGN_IN: Operation[] = [
  {
    id: 'sendCode',
    method: 'post',
    path: '/v1/auth/send-code',
    group: 'sign-in',
    summary: 'Send a code',
    description:
      'Sends a sign-in code by e-mail. The response is the same whether or not the e-mail address has an account. Pages may call this from the app’s registered origins.',
    auth: 'none',
    body: {
      schema: 'SendCodeRequest',
      examples: {
        one: {
          summary: 'A code by e-mail',
          value: { publishable_key: PUBLISHABLE_KEY, email: 'ada@example.com', locale: 'en' },
        },
      },
    },
    response: {
      description: 'The code was sent.',
      schema: 'CodeSent',
      example: { challenge_id: CHALLENGE, expires_in: 600, resend_in: 30 },
    },
    errorFormat: 'chat',
    errors: APP_ERRORS,
  },
  {
    id: 'verifyCode',
    method: 'post',
    path: '/v1/auth/verify-code',
    group: 'sign-in',
    summary: 'Verify a code',
    description:
      'Exchanges the code for a user key. The six-digit code is valid for ten minutes, for one use and at most five attempts.',
    auth: 'none',
    body: {
      schema: 'VerifyCodeRequest',
      examples: {
        one: {
          summary: 'With metadata',
          value: {
            publishable_key: PUBLISHABLE_KEY,
            challenge_id: CHALLENGE,
            email: 'ada@example.com',
            code: '123456',
            metadata: { workspace: 'w_42' },
          },
        },
      },
    },
    response: { description: 'The user is signed in.', schema: 'SignedIn', example: SIGNED_IN },
    errorFormat: 'chat',
    errors: ['invalid_code', 'code_expired', ...APP_ERRORS],
  },
  {
    id: 'exchangeToken',
    method: 'post',
    path: '/auth/token',
    group: 'sign-in',
    summary: 'Exchange a sign-in token',
    description:
      'Exchanges the one-time token from a sign-in window for a user key. The token is valid for 60 seconds and one use, only on the page and for the app it was issued to. A second use revokes the key that the first use created. Accepts JSON or a form.',
    auth: 'none',
    body: {
      schema: 'TokenRequest',
      asForm: true,
      examples: {
        one: {
          summary: 'A token',
          value: {
            grant_type: 'signin_token',
            publishable_key: PUBLISHABLE_KEY,
            token: 'svc_st_6aU0oI5YdJ8sKq2Lw9XvTzB1nRc7GhM3pE',
            code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
          },
        },
      },
    },
    response: {
      description: 'The user is signed in.',
      schema: 'TokenResponse',
      example: { ...SIGNED_IN, token_type: 'Bearer' },
    },
    errorFormat: 'chat',
    errors: ['invalid_grant', 'invalid_request', 'request_too_large', 'unsupported_encoding'],
  },
];
