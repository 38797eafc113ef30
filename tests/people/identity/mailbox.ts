import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';

/** A real mail server on loopback that keeps what it receives. */
export type Mailbox = {
  mails: { mail: Email; recipients: string[] }[];
  /** The code in the newest mail. */
  lastCode(): string;
};

/** Call before anything reads the settings. */
export async function openMailbox(): Promise<Mailbox> {
  const mails: Mailbox['mails'] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    // A pooled connection is still open when the file is done.
    closeTimeout: 1,
    async onData(stream, session, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const mail = await PostalMime.parse(Buffer.concat(chunks));
      mails.push({ mail, recipients: session.envelope.rcptTo.map((recipient) => recipient.address) });
      done();
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  // One connection for all mails: the server greets each new one after a tenth of a second.
  process.env.SMTP_URL = `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}?pool=true`;
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { mails, lastCode: () => /^\d{6}/.exec(mails.at(-1)?.mail.subject ?? '')?.[0] ?? '' };
}

/** Returns a code that differs from the right one. */
export function wrongCode(right: string): string {
  return right === '000000' ? '111111' : '000000';
}
