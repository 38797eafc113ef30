/** The structure of the command line: one command per verb, one file per noun. */

export type Command = {
  /** As typed after `npm run svc --`, with its arguments and options. */
  usage: string;
  summary: string;
  /** Names of the positional arguments, in order. */
  arguments?: readonly string[];
  options?: Readonly<Record<string, OptionKind>>;
  /** 'schema': a database with the current tables; 'server': any database. */
  needs: 'nothing' | 'server' | 'schema';
  run(input: CommandInput): Promise<Outcome>;
};

type OptionKind = 'text' | 'list' | 'flag';

export type Outcome = {
  /** The output with `--json`: snake_case, credits as numbers. */
  json: unknown;
  /** The output for people. */
  text: string;
  /** Printed to standard error in addition to the output. */
  warnings?: string[];
  /** The command succeeded but found a problem. */
  hasProblem?: boolean;
};

/** A command that cannot continue. The message is one line with the reason. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}

export class CommandInput {
  constructor(
    readonly usage: string,
    private readonly given: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>,
  ) {}

  /** A required positional argument or option. */
  require(name: string): string {
    const value = this.find(name);
    if (value === undefined) throw new CommandRefused(`Missing ${name}. Usage: ${this.usage}`);
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
