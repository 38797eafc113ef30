import { hostname } from 'node:os';
import pino, { type Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { instanceNumber } from './env';
import { traceIdOf } from './tracing';

/**
 * One structured log on standard output. Callers pass only named, harmless fields (ids, codes, durations). As
 * a last safeguard, the log masks anything that looks like a secret, an e-mail address or a user id.
 */
const SECRET = /\b(svc_(?:sk|st)_|whsec_|sk-|[rs]k_(?:live|test)_|Bearer\s+)[^\s"'\\]+/g;
const ACCOUNT = /\b(usr_)[0-9A-Za-z]{22}\b/g;
/** Looks back, so that only the beginning of a word is tried as one of an address. */
const EMAIL = /(?<![^\s"'@<>\\])[^\s"'@<>\\]+@[^\s"'@<>\\]+\.[^\s"'@<>\\]+/g;
const MAX_LENGTH = 2_000;

/** Cuts a text before it searches: others write it, and may write megabytes. */
export const maskSecrets = (text: string): string => mask(cut(text));

const mask = (text: string): string =>
  text.replace(SECRET, '$1***').replace(ACCOUNT, '$1***').replace(EMAIL, '***@***');

/** Without the word at the end, because no mask recognises half an address. */
function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const space = text.lastIndexOf(' ', MAX_LENGTH);
  return text.slice(0, space > 0 ? space : MAX_LENGTH);
}

/** This process, among those whose lines are collected in one place. */
export const INSTANCE = `${hostname()}:${process.pid}`;

export const VERSION = packageJson.version;

const numbered = () => {
  const number = instanceNumber();
  return number === undefined ? {} : { worker: Number(number) };
};

let logger: Logger | undefined;

export function log(): Logger {
  logger ??= pino(
    {
      level: process.env.LOG_LEVEL || 'info',
      base: { instance: INSTANCE, version: VERSION, ...numbered() },
      mixin: traceIdOf,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    { write: (line: string) => process.stdout.write(mask(line)) },
  );
  return logger;
}

const FIRST_PLACE = /\n {4}at (\S+)/;
/** The first stack frame outside Node and packages: the function in our code that failed. */
const OUR_PLACE = /\n {4}at (?:async )?(\S+) \((?!node:)(?!.*\bnode_modules\b)/;

/** Describes a failure for the log: the error and the function it came from, with secrets masked and without a stack. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return maskSecrets(String(error));
  const stack = error.stack ?? '';
  const place = (OUR_PLACE.exec(stack) ?? FIRST_PLACE.exec(stack))?.[1];
  return maskSecrets(`${error.name}: ${error.message}${place ? ` (in ${place})` : ''}`);
}
