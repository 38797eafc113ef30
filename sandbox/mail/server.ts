import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { randomBase62 } from '../../server/base/ids';
import { listenOnLoopback, sendJson } from '../loopback-server';
import { parseMail, type ReceivedMail } from './received-mail';

export type SandboxMail = { smtpUrl: string; httpUrl: string; close(): Promise<void> };

const KEPT_MAILS = 200;
const MAX_MAIL_BYTES = 5 * 1024 * 1024;

/** Catches every email that svc sends. `GET /mails` lists them, newest first; `?to=` filters. */
export async function startSandboxMail(): Promise<SandboxMail> {
  let mails: ReceivedMail[] = [];
  const smtp = createSmtpServer((mail) => {
    mails = [mail, ...mails].slice(0, KEPT_MAILS);
  });
  const smtpPort = await listenSmtp(smtp);
  const http = await listenOnLoopback(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    if (request.method !== 'GET' || pathname !== '/mails')
      return sendJson(response, 404, { error: 'not found' });
    const to = searchParams.get('to')?.toLowerCase();
    sendJson(response, 200, to === undefined ? mails : mails.filter((mail) => isSentTo(mail, to)));
  });
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    httpUrl: http.url,
    close: async () => {
      await Promise.all([http.close(), new Promise<void>((resolve) => smtp.close(() => resolve()))]);
    },
  };
}

function createSmtpServer(keep: (mail: ReceivedMail) => void): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    size: MAX_MAIL_BYTES,
    logger: false,
    onData: (stream, session, done) => {
      receive(stream, session).then(
        (mail) => {
          keep(mail);
          done(null, `queued as ${mail.id}`);
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
}

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<ReceivedMail> {
  const parts: Buffer[] = [];
  for await (const part of stream as AsyncIterable<Buffer>) parts.push(part);
  const sender = session.envelope.mailFrom;
  return parseMail(Buffer.concat(parts), {
    id: `mail_${randomBase62(16)}`,
    from: sender === false || sender === null ? '' : sender.address,
    to: session.envelope.rcptTo.map((recipient) => recipient.address),
  });
}

async function listenSmtp(smtp: SMTPServer): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    smtp.once('error', reject);
    smtp.listen(0, '127.0.0.1', resolve);
  });
  // Without a listener, the 'error' event of a client that hangs up would end the process.
  smtp.on('error', () => {});
  return (smtp.server.address() as AddressInfo).port;
}

const isSentTo = (mail: ReceivedMail, address: string): boolean =>
  mail.to.some((recipient) => recipient.toLowerCase() === address);
