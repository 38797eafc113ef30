import { type ParseArgsConfig, parseArgs } from 'node:util';
import { SettingsError } from '../../base/env';
import { ApiError } from '../../base/errors';
import { describeError } from '../../base/log';
import { explainDatabaseError } from '../../process/explain-database-error';
import { readSettingFiles } from '../../process/setting-files';
import { StartError } from '../../process/start-error';
import { type Command, CommandInput, CommandRefused, type Outcome } from './command';
import { configCommands } from './config';
import { correctionCommands } from './corrections';
import { openCommandDatabase } from './database';
import { databaseCommands } from './db';
import { ledgerCommands } from './ledger';
import { marginCommands } from './margin';
import { modelCommands } from './models';
import { oneLine, wrap } from './output';
import { partnerCommands } from './partner';
import { paymentCommands } from './payments';
import { payoutCommands } from './payouts';
import { promotionCommands } from './promotions';
import { rateCommands } from './rate';
import { secretCommands } from './secret';
import { signingKeyCommands } from './signing-key';
import { stripeCommands } from './stripe';
import { userCommands } from './user';

const COMMANDS: Readonly<Record<string, Command>> = {
  ...partnerCommands,
  ...userCommands,
  ...ledgerCommands,
  ...paymentCommands,
  ...payoutCommands,
  ...promotionCommands,
  ...stripeCommands,
  ...modelCommands,
  ...marginCommands,
  ...correctionCommands,
  ...rateCommands,
  ...configCommands,
  ...secretCommands,
  ...signingKeyCommands,
  ...databaseCommands,
};

export type Terminal = { out(text: string): void; err(text: string): void };

/** Runs one command and returns the exit code. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (isHelp(words)) {
      terminal.out(`${helpText(words)}\n`);
      return 0;
    }
    const { command, input, asJson } = readCommand(words);
    readSettingFiles(process.env);
    const outcome = await runWithDatabase(command, input);
    for (const warning of outcome.warnings ?? []) terminal.err(`warning: ${warning}\n`);
    terminal.out(`${asJson ? JSON.stringify(outcome.json) : outcome.text}\n`);
    return outcome.hasProblem ? 1 : 0;
  } catch (error) {
    terminal.err(`${oneLine(reasonOf(error))}\n`);
    return 1;
  }
}

const isHelp = (words: readonly string[]): boolean =>
  words.length === 0 || words[0] === 'help' || words.includes('--help') || words.includes('-h');

function helpText(words: readonly string[]): string {
  const nouns = words.filter((word) => Object.keys(COMMANDS).some((name) => name.startsWith(`${word} `)));
  const shown = Object.entries(COMMANDS).filter(
    ([name]) => nouns.length === 0 || nouns.some((noun) => name.startsWith(`${noun} `)),
  );
  const commands = shown.map(
    ([, { usage, summary }]) => `${wrap(usage, '', '    ')}\n${wrap(summary, '      ', '      ')}`,
  );
  return [...commands, '', 'Every command takes --json. PK is a publishable key (svc_pk_…).'].join('\n');
}

/** The command with its input; throws `CommandRefused` if it does not exist or does not take these words. */
export function readCommand(words: readonly string[]) {
  const command = findCommand(words);
  return { command, ...readWords(command, words.slice(2)) };
}

function findCommand([noun = '', verb = '']: readonly string[]): Command {
  const command = COMMANDS[`${noun} ${verb}`];
  if (command) return command;
  const verbs = Object.keys(COMMANDS)
    .filter((name) => name.startsWith(`${noun} `))
    .map((name) => name.split(' ')[1]);
  throw new CommandRefused(
    verbs.length === 0
      ? `Unknown command "${noun}". See: npm run svc -- help`
      : `Unknown command. Expected one of: ${verbs.map((known) => `${noun} ${known}`).join(', ')}`,
  );
}

function readWords(command: Command, words: readonly string[]): { input: CommandInput; asJson: boolean } {
  const options: NonNullable<ParseArgsConfig['options']> = { json: { type: 'boolean' } };
  for (const [name, kind] of Object.entries(command.options ?? {})) {
    options[name] = kind === 'flag' ? { type: 'boolean' } : { type: 'string', multiple: kind === 'list' };
  }
  const names = command.arguments ?? [];
  const { values, positionals } = parseWords(words, options, command.usage);
  if (positionals.length > names.length)
    throw new CommandRefused(`Unexpected argument "${positionals[names.length]}". Usage: ${command.usage}`);
  const named = Object.fromEntries(names.map((name, index) => [name, positionals[index]]));
  return { input: new CommandInput(command.usage, { ...values, ...named }), asJson: values.json === true };
}

function parseWords(
  words: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
  usage: string,
) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : String(error);
    throw new CommandRefused(`${reason}. Usage: ${usage}`);
  }
}

async function runWithDatabase(command: Command, input: CommandInput): Promise<Outcome> {
  if (command.needs === 'nothing') return command.run(input);
  const close = await openCommandDatabase(command.needs);
  try {
    return await command.run(input);
  } finally {
    await close();
  }
}

/** Prisma's and PostgreSQL's errors for a missing table. */
const NO_TABLES = /P2021|42P01|does not exist/;
const NO_CONNECTION = /P1001|timeout exceeded when trying to connect/;

function reasonOf(error: unknown): string {
  if (error instanceof CommandRefused || error instanceof ApiError || error instanceof StartError)
    return error.message;
  if (error instanceof SettingsError) return error.message.replaceAll('\n', '; ');
  const unreachable = explainDatabaseError(error);
  if (unreachable !== null) return unreachable;
  const reason = describeError(error);
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (NO_TABLES.test(code + reason)) return 'The database has no tables yet. Run: npm run svc -- db migrate';
  if (NO_CONNECTION.test(code + reason)) return 'Cannot reach the database. Check DATABASE_URL.';
  return `Failed: ${reason.split('\n')[0]}`;
}
