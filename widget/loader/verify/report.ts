/** What is printed, and what ends a check. */

/** A mistake of the user. The message is all they see. */
export class Mistake extends Error {}

/** What does not match. */
export class Difference extends Error {}

export class Report {
  failures = 0;

  pass(text: string): void {
    print(`  ok      ${plain(text)}`);
  }

  fail(text: string): void {
    this.failures++;
    print(`  FAILED  ${plain(text)}`);
  }

  note(text: string): void {
    print(`  note    ${plain(text)}`);
  }

  /** A difference ends the work, and the next begins. */
  check(work: () => void): boolean {
    const before = this.failures;
    try {
      work();
    } catch (error) {
      this.fail(error instanceof Difference ? error.message : `it cannot be read: ${describe(error)}`);
    }
    return this.failures === before;
  }
}

/** Files may contain anything, terminals obey some of it. */
export const plain = (text: string): string => text.replace(/\p{Cc}/gu, '?').slice(0, 500);

export function describe(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
