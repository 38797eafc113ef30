import type { ClientBase } from 'pg';

type Parameter = string[] | string | Date | null;

/** Runs the queries of invariants with their parameters, and returns the differences. */
export async function findDifferences(
  client: ClientBase,
  invariants: string[],
  parameters: Parameter[] = [],
): Promise<string[]> {
  const differences: string[] = [];
  for (const query of invariants) {
    const { rows } = await client.query<Difference>(query, parameters);
    differences.push(...rows.map(describeDifference));
  }
  return differences;
}

type Difference = { invariant: string; subject: string; difference: string | null };

function describeDifference({ invariant, subject, difference }: Difference): string {
  return `${invariant}: ${subject}${difference === null ? ' does not' : ` differs by ${difference}`}`;
}
