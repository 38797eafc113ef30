/** What a run did, and which responses it received. */
export class Tally {
  readonly operations = new Map<string, number>();
  readonly faults = new Map<string, number>();
  readonly violations: string[] = [];
  /** The charge in microcredits that a response reported, by request. */
  readonly charged = new Map<string, bigint>();
  /** Streams that arrived complete. */
  readonly streamed = new Set<string>();
  /** Requests that failed with an error: nothing may be charged for them. */
  readonly refused = new Set<string>();
  /** Checkout sessions that the processor reported as paid, and those that nobody paid. */
  readonly paid = new Set<string>();
  readonly unpaid = new Set<string>();
  /** Minor units that the processor refunded, by checkout session. */
  readonly refundedMinor = new Map<string, number>();

  /** Checkout sessions whose payment the bank has taken back. */
  readonly disputed = new Set<string>();

  operation(name: string): void {
    this.operations.set(name, (this.operations.get(name) ?? 0) + 1);
  }

  fault(name: string): void {
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
  }

  violation(text: string): void {
    this.violations.push(text);
  }
}

export const total = (counts: Map<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);
