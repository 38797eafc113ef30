/** What the command line is made of: one command per verb, one file per noun. */

export type Command = {
  /** As typed after `npm run svc --`, with its arguments and options. */
  usage: string;
  summary: string;
  /** Names of the positional arguments, in order. */
  arguments?: readonly string[];
  options?: Readonly<Record<string, OptionKind>>;
  /** 'schema': a database with today's tables; 'server': any database. */
  needs: 'nothing' | 'server' | 'schema';
  run(input: CommandInput): Promise<Outcome>;
};

type OptionKind = 'text' | 'list' | 'flag';

export type Outcome = {
  /** The answer with `--json`: snake_case, credits as numbers. */
  json: unknown;
  /** The answer for people. */
  text: string;
  /** Said beside the answer. */
  warnings?: string[];
  /** The command worked, and what it found is bad. */
  isBad?: boolean;
};

/** A command that cannot go on; the message is one line that says why. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}

export class CommandInput {
  constructor(
    readonly usage: string,
    private readonly given: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>,
  ) {}

  /** A positional argument or an option that must be there. */
  require(name: string): string {
    const value = this.find(name);
    if (value === undefined) throw new CommandRefused(`${name} is missing. Usage: ${this.usage}`);
    return value;
  }

  find(name: string): string | undefined {
    const value = this.given[name];
    return typeof value === 'string' ? value : undefined;
  }

  list(name: string): string[] {
    const value = this.given[name];
    return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
  }

  has(name: string): boolean {
    return this.given[name] === true;
  }
}
