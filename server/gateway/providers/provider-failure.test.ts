import { describe, expect, test } from 'vitest';
import { readEmbeddedFailure, readProviderFailure } from './provider-failure';

const openai = (message: string, more = {}) =>
  JSON.stringify({ error: { message, type: 'invalid_request_error', ...more } });
const anthropic = (type: string, message: string) =>
  JSON.stringify({ type: 'error', error: { type, message } });

describe('the meaning of a provider’s status', () => {
  test.each([
    ['a bad request', 400, openai('Unsupported value: temperature'), 'request', 'invalid_request', 400],
    [
      'a bad request, Anthropic',
      400,
      anthropic('invalid_request_error', 'max_tokens: too large'),
      'request',
      'invalid_request',
      400,
    ],
    ['422', 422, openai('schema'), 'request', 'invalid_request', 400],
    [
      '413',
      413,
      anthropic('request_too_large', 'Request exceeds the maximum size'),
      'request',
      'invalid_request',
      400,
    ],
    [
      'refused reasoning',
      400,
      anthropic('invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block'),
      'reasoning',
      'invalid_request',
      400,
    ],
    [
      'missing reasoning, DeepSeek',
      400,
      openai('The `reasoning_content` in the thinking mode must be passed back to the API.'),
      'reasoning',
      'invalid_request',
      400,
    ],
    [
      'our own spend limit',
      400,
      anthropic('invalid_request_error', 'You have reached your specified API usage limits.'),
      'account',
      'upstream_error',
      502,
    ],
    [
      'our own credit',
      400,
      anthropic('invalid_request_error', 'Your credit balance is too low to access the API.'),
      'account',
      'upstream_error',
      502,
    ],
    [
      'our organisation on hold',
      400,
      JSON.stringify({ error: { message: 'x', details: { error_code: 'organization_on_hold' } } }),
      'account',
      'upstream_error',
      502,
    ],
    ['401', 401, openai('Incorrect API key provided: sk-proj-****wxyz'), 'account', 'upstream_error', 502],
    ['402', 402, openai('Insufficient Balance'), 'account', 'upstream_error', 502],
    [
      '403',
      403,
      anthropic('permission_error', 'Your account may not use this model'),
      'account',
      'upstream_error',
      502,
    ],
    [
      'a moderated prompt, 403',
      403,
      openai('Your input was flagged by moderation'),
      'request',
      'content_refused',
      400,
    ],
    [
      'a moderated prompt, 400',
      400,
      openai('The response was filtered due to content management policy', { code: 'content_filter' }),
      'request',
      'content_refused',
      400,
    ],
    [
      '404 of the model',
      404,
      openai('The model `gpt-x` does not exist', { code: 'model_not_found' }),
      'model',
      'model_not_found',
      404,
    ],
    [
      '404 of a price that no provider of OpenRouter meets',
      404,
      JSON.stringify({ error: { message: 'No endpoints found matching your max price', code: 404 } }),
      'model',
      'upstream_error',
      502,
    ],
    ['404 of something else', 404, '<html>nginx</html>', 'unavailable', 'upstream_error', 502],
    ['408', 408, '', 'unavailable', 'upstream_error', 502],
    ['409', 409, '', 'unavailable', 'upstream_error', 502],
    ['425', 425, '', 'unavailable', 'upstream_error', 502],
    ['429 of a rate', 429, openai('Rate limit reached'), 'busy', 'rate_limited', 429],
    [
      '429 of our quota',
      429,
      openai('You exceeded your current quota', { code: 'insufficient_quota' }),
      'account',
      'upstream_error',
      502,
    ],
    [
      'a rate of Google, whose errors are in a list',
      429,
      JSON.stringify([
        {
          error: {
            code: 429,
            message: 'You exceeded your current quota, please check your plan and billing details.',
            status: 'RESOURCE_EXHAUSTED',
          },
        },
      ]),
      'busy',
      'rate_limited',
      429,
    ],
    [
      '429 of our spend limit',
      429,
      anthropic('rate_limit_error', 'enforced_spend_limit_reached'),
      'account',
      'upstream_error',
      502,
    ],
    ['500', 500, openai('boom'), 'unavailable', 'upstream_error', 502],
    ['503', 503, '<html>', 'unavailable', 'upstream_error', 502],
    ['529', 529, anthropic('overloaded_error', 'Overloaded'), 'unavailable', 'upstream_error', 502],
    ['522', 522, '', 'unavailable', 'upstream_error', 502],
    ['a redirect', 302, '', 'unavailable', 'upstream_error', 502],
  ])('%s', (_, status, body, kind, code, clientStatus) => {
    const failure = readProviderFailure({ status, body });
    expect([failure.kind, failure.error.code, failure.error.status]).toEqual([kind, code, clientStatus]);
  });

  // xAI uses the status and the code of a missing permission for both.
  test.each([
    ['Content violates usage guidelines. Team: t, Failed check: SAFETY_CHECK_TYPE_BIO', 'request', true],
    ['Content violates usage guidelines. ', 'request', true],
    ['Access to the chat endpoint is denied', 'account', false],
    ['Your key may not use "Content violates usage guidelines"', 'account', false],
  ])('403 of xAI: %s', (message, kind, violatesGuidelines) => {
    const body = JSON.stringify({ code: 'permission-denied', error: message });
    expect(readProviderFailure({ status: 403, body })).toMatchObject({ kind, violatesGuidelines });
  });

  // Otherwise anyone could put a provider into cooldown for all users, by the name of a tool.
  test.each([
    "Invalid schema for function 'get_billing_details': string is not of type object",
    "Invalid schema for function 'read_spend_limit': None is not of type 'object'",
    'tools.0.name: `credit balance is too low` does not match the pattern',
    'messages.1: no result for the call "content_policy"',
    'messages.1: tool_use ids without results: call_billing_1, moderation_2',
  ])('the client’s own text does not decide: %s', (message) => {
    const { kind, error } = readProviderFailure({ status: 400, body: openai(message) });
    expect([kind, error.code]).toEqual(['request', 'invalid_request']);
    expect(error.message.slice(0, 20)).toBe(message.slice(0, 20));
  });

  test('the message of an error inside a list reaches the client', () => {
    const body = JSON.stringify([{ error: { code: 400, message: 'the input token count is too high' } }]);
    expect(readProviderFailure({ status: 400, body }).error).toMatchObject({
      code: 'invalid_request',
      message: 'the input token count is too high',
    });
  });

  test('the phrases that clients test for are kept', () => {
    const publicMessage = (message: string) =>
      readProviderFailure({ status: 400, body: openai(message) }).error.message;
    expect(publicMessage('prompt is too long: 210000 tokens > 200000 maximum')).toContain(
      'prompt is too long',
    );
    expect(publicMessage("This model's maximum context length is 128000 tokens.")).toContain(
      'context length',
    );
  });

  test('Retry-After is whole seconds between 1 and 60', () => {
    const wait = (retryAfter: string | null) => readProviderFailure({ status: 429, body: '', retryAfter });
    expect(wait('7').error.retryAfterSeconds).toBe(7);
    expect(wait('0.2').error.retryAfterSeconds).toBe(1);
    expect(wait('900').error.retryAfterSeconds).toBe(60);
    expect(wait(null).error.retryAfterSeconds).toBe(1);
    expect([wait('900').retryAfterSeconds, wait('soon').retryAfterSeconds]).toEqual([900, null]);
  });

  test('the invalid field is named', () => {
    expect(
      readProviderFailure({ status: 400, body: openai('no', { param: 'temperature' }) }).error.param,
    ).toBe('temperature');
    expect(
      readProviderFailure({ status: 400, body: openai('no', { param: '<script>' }) }).error.param,
    ).toBeNull();
  });
});

describe('an error inside a response with status 200', () => {
  test.each([
    [{ error: { message: 'slow', code: 429 } }, 'busy'],
    [{ error: { message: 'slow', type: 'rate_limit_error' } }, 'busy'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'unavailable'],
    [{ type: 'error', error: { type: 'invalid_request_error', message: 'bad' } }, 'request'],
    [{ type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }, 'account'],
    [{ error: 'something' }, 'unavailable'],
    [{ error: {} }, 'unavailable'],
  ])('%j is %s', (value, kind) => {
    expect(readEmbeddedFailure(value).kind).toBe(kind);
  });
});

test.each(['constructor', 'toString', '__proto__'])('an error of the type %j has a status', (type) => {
  expect(readEmbeddedFailure({ error: { type, message: 'no' } }).status).toBe(502);
});

describe('nothing internal leaks', () => {
  test.each([
    ['a key', 'Bad value near sk-proj-abcdEFGH1234567890', 'abcdEFGH1234567890'],
    ['a masked key', 'Bad value near sk-****************wxyz', 'wxyz'],
    ['a Google key', 'Bad value AIzaSyA1234567890abcdefghij', 'SyA1234567890'],
    ['an organisation', 'Limit for org-Ab12Cd34Ef56 reached in the schema', 'Ab12Cd34Ef56'],
    ['a project', 'In proj_Ab12Cd34Ef56 the schema is bad', 'Ab12Cd34Ef56'],
    ['a request id', 'The schema is bad (request req_011CSHoEeqs5C35K2UUqR7Fy)', '011CSHoEeqs5C35K2UUqR7Fy'],
    ['an address', 'See https://internal.example.com/limits?org=1 for the schema', 'internal.example'],
    ['a host', 'Upstream gpu-7.cluster.internal:8080 refused the schema', 'cluster'],
    ['an e-mail', 'The schema of someone@example.com is bad', 'someone@'],
  ])('%s', (_, message, secret) => {
    const { error } = readProviderFailure({ status: 400, body: openai(message) });
    expect(error.code).toBe('invalid_request');
    expect(error.message).not.toContain(secret);
    expect(error.message).toMatch(/schema|Bad value/);
  });

  test('the name of a field is no id', () => {
    const message = 'user_profile_id: Extra inputs are not permitted for user_4Hq7xTz9';
    expect(readProviderFailure({ status: 400, body: openai(message) }).error.message).toBe(
      'user_profile_id: Extra inputs are not permitted for ***',
    );
  });

  test.each([
    ['HTML', '<html><body>Bad gateway</body></html>'],
    ['HTML as a message', openai('<!DOCTYPE html><html>…')],
    ['a stack trace', openai('TypeError: x\n    at Object.<anonymous> (/srv/app.js:1:1)')],
    ['nothing', ''],
  ])('%s is not passed on', (_, body) => {
    expect(readProviderFailure({ status: 400, body }).error.message).toBe(
      'The provider for this model returned an error',
    );
  });

  test('long messages are truncated', () => {
    expect(
      readProviderFailure({ status: 400, body: openai('x '.repeat(5_000)) }).error.message.length,
    ).toBeLessThanOrEqual(400);
  });
});
