import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SandboxMail, startSandboxMail } from '@/sandbox/mail/server';

let sandbox: SandboxMail;
beforeEach(async () => {
  sandbox = await startSandboxMail();
});
afterEach(() => sandbox.close());

const send = (to: string, subject: string) =>
  createTransport(sandbox.smtpUrl).sendMail({
    from: 'Grüße <no-reply@svc.localhost>',
    to,
    subject,
    text: `Your code is 123456 — ${subject}`,
    html: `<p>Your code is <b>123456</b></p>`,
  });

const read = async (path: string) => (await fetch(`${sandbox.httpUrl}${path}`)).json();

test('a mail sent over SMTP is shown with its decoded parts', async () => {
  await send('ann@example.com', 'Sign in – Zürich');
  const [mail] = await read('/mails');
  expect(mail).toMatchObject({
    to: ['ann@example.com'],
    from: 'Grüße <no-reply@svc.localhost>',
    subject: 'Sign in – Zürich',
    html: expect.stringContaining('<b>123456</b>'),
  });
  expect(mail.text.trim()).toBe('Your code is 123456 — Sign in – Zürich');
  expect(Date.parse(mail.received_at)).not.toBeNaN();
});

test('mails are listed newest first and by recipient, regardless of case', async () => {
  await send('ann@example.com', 'one');
  await send('bob@example.com', 'two');
  await send('Ann@Example.com', 'three');
  const subjects = async (path: string) =>
    (await read(path)).map((mail: { subject: string }) => mail.subject);
  expect(await subjects('/mails')).toEqual(['three', 'two', 'one']);
  expect(await subjects('/mails?to=ann@example.com')).toEqual(['three', 'one']);
});

test('two recipients of one mail both find it', async () => {
  await send('ann@example.com, bob@example.com', 'both');
  expect(await read('/mails?to=bob@example.com')).toHaveLength(1);
});
