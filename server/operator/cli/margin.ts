import { readFile } from 'node:fs/promises';
import { creditsToJson, formatCredits, microcredits } from '../../base/credits';
import { parsePercent } from '../../partners/rate';
import { compareBill, type MarginRow } from '../../reports/margin/compare-bill';
import { type Bill, readBill, UnreadableBill } from '../../reports/margin/read-bill';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { alignColumns } from './output';

export const marginCommands: Readonly<Record<string, Command>> = {
  'margin report': {
    usage: 'margin report FILE [--tolerance PERCENT]',
    summary: 'compare what OpenAI, Anthropic or OpenRouter billed with what was recorded and charged',
    arguments: ['FILE'],
    options: { tolerance: 'text' },
    needs: 'schema',
    run: report,
  },
};

const DEFAULT_TOLERANCE_PERCENT = '2';

/** Reads the file and keeps nothing of it. */
async function report(input: CommandInput): Promise<Outcome> {
  const { tolerance, toleranceBp } = readTolerance(input);
  const { bill, rows } = await withBill(input.require('FILE'), async (read) => ({
    bill: read,
    rows: await compareBill(read, toleranceBp),
  }));
  const different = rows.filter(({ differs }) => differs).length;
  return {
    json: {
      provider: bill.provider,
      tolerance_percent: Number(tolerance),
      different,
      rows: rows.map(toJson),
    },
    text: writeReport(bill.provider, rows, different, tolerance),
    warnings: bill.hasMore ? ['the export has further pages, which are not in this file'] : [],
    hasProblem: different > 0,
  };
}

export function readTolerance(input: CommandInput): { tolerance: string; toleranceBp: number } {
  const tolerance = input.find('tolerance') ?? DEFAULT_TOLERANCE_PERCENT;
  const toleranceBp = parsePercent(tolerance);
  if (toleranceBp === null) throw new CommandRefused('--tolerance: expected a percentage such as 2');
  return { tolerance, toleranceBp };
}

/** Works with the bill in a file, and says what in it cannot be read. */
export async function withBill<Result>(file: string, work: (bill: Bill) => Promise<Result>): Promise<Result> {
  const text = await readText(file);
  try {
    return await work(readBill(text));
  } catch (error) {
    if (error instanceof UnreadableBill) throw new CommandRefused(`${file}: ${error.message}`);
    throw error;
  }
}

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new CommandRefused(`${file}: the file cannot be read`);
  }
}

const HEADINGS = ['', 'day', 'model', 'requests', 'charged', 'recorded cost', 'billed', 'billed − recorded'];

function writeReport(provider: string, rows: MarginRow[], different: number, tolerance: string): string {
  const sum = (name: 'charged' | 'recorded' | 'billed') =>
    microcredits(rows.reduce((total, row) => total + row[name], 0n));
  const total: MarginRow = {
    day: 'total',
    model: '',
    requests: rows.reduce((all, row) => all + row.requests, 0),
    charged: sum('charged'),
    recorded: sum('recorded'),
    billed: sum('billed'),
    differs: false,
  };
  const verdict =
    different === 0
      ? `No difference exceeds ${tolerance}%.`
      : `! marks ${different} of ${rows.length} rows, whose difference exceeds ${tolerance}%.`;
  return [
    `${provider}, in credits (100 credits are 1 USD)`,
    alignColumns([HEADINGS, ...[...rows, total].map(writeRow)]),
    verdict,
  ].join('\n\n');
}

function writeRow({ day, model, requests, charged, recorded, billed, differs }: MarginRow): string[] {
  const amounts = [charged, recorded, billed, billed - recorded].map(formatCredits);
  return [
    differs ? '!' : '',
    day,
    model || (day === 'total' ? '' : 'no model'),
    String(requests),
    ...amounts,
  ];
}

function toJson({ day, model, requests, charged, recorded, billed, differs }: MarginRow): object {
  return {
    day,
    model,
    requests,
    charged_credits: creditsToJson(charged),
    recorded_credits: creditsToJson(recorded),
    billed_credits: creditsToJson(billed),
    differs,
  };
}
