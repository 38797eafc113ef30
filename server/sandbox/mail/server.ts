import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { randomBase62 } from '../../ids';
import { listenOnLoopback, sendJson } from '../loopback-server';
import { parseMail, type ReceivedMail } from './received-mail';

export type SandboxMail = { smtpUrl: string; httpUrl: string; close(): Promise<void> };

const KEPT_MAILS = 200;
const MAX_MAIL_BYTES = 5 * 1024 * 1024;

/** Catches every mail the product sends. Newest first: `mails[0]` is the last one. */
export async function startSandboxMail(options: { smtpPort?: number } = {}): Promise<SandboxMail> {
  let mails: ReceivedMail[] = [];
  const smtp = createSmtpServer((mail) => {
    mails = [mail, ...mails].slice(0, KEPT_MAILS);
  });
  const smtpPort = await listenSmtp(smtp, options.smtpPort ?? 0);
  const http = await listenOnLoopback(async (request, response) => {
    if (request.method !== 'DELETE' || request.url !== '/mails') return answer(request, response, mails);
    mails = [];
    response.writeHead(204).end();
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

async function listenSmtp(smtp: SMTPServer, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    smtp.once('error', reject);
    smtp.listen(port, '127.0.0.1', resolve);
  });
  // A client that hangs up must not end the process as an unhandled 'error' event.
  smtp.on('error', () => {});
  return (smtp.server.address() as AddressInfo).port;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  mails: readonly ReceivedMail[],
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
  if (request.method !== 'GET') return sendJson(response, 405, { error: 'method not allowed' });
  if (pathname === '/mails')
    return sendJson(
      response,
      200,
      mails.filter((mail) => isSentTo(mail, searchParams.get('to'))),
    );
  const mail = mails.find(({ id }) => pathname === `/mails/${id}`);
  sendJson(response, mail === undefined ? 404 : 200, mail ?? { error: 'not found' });
}

function isSentTo(mail: ReceivedMail, address: string | null): boolean {
  return address === null || mail.to.some((recipient) => recipient.toLowerCase() === address.toLowerCase());
}
