import { describe, expect, it } from 'vitest';
import { alignDecimals, inColumn, writeCharge } from '@/app/_ui/amount';
import { describeDevice } from '@/app/_ui/describe-device';
import { chartOf, sharesOf } from '@/app/(account)/account/(skeleton)/activity/chart';
import { readQuery, writeQuery } from '@/app/(account)/account/(skeleton)/activity/filter';
import { inDollars } from '@/app/(account)/account/show-credits';
import type { UsageDay } from '@/server/ledger';

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit';

describe('the description of a device', () => {
  it.each([
    [`${MAC}/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36`, 'Chrome on macOS', 'computer'],
    [`${MAC}/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`, 'Safari on macOS', 'computer'],
    [`${MAC}/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36 Edg/141.0`, 'Edge on macOS', 'computer'],
    [
      'Mozilla/5.0 (Windows NT 10.0; rv:132.0) Gecko/20100101 Firefox/132.0',
      'Firefox on Windows',
      'computer',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/141.0 Mobile Safari/604.1',
      'Chrome on iPhone',
      'phone',
    ],
    ['Mozilla/5.0 (Linux; Android 15) Chrome/141.0 Mobile Safari/537.36', 'Chrome on Android', 'phone'],
    ['python-requests/2.32.3', 'python-requests', 'program'],
    ['Mozilla/5.0', 'Unknown device', 'computer'],
    ['<script>alert(1)</script>', 'Unknown device', 'computer'],
    ['', 'Unknown device', 'computer'],
  ])('is derived from the user agent %j', (userAgent, name, kind) => {
    expect(describeDevice(userAgent)).toEqual({ name, kind });
  });
});

describe('the URL of the activity page', () => {
  it('is read back as written and omits defaults', () => {
    const query = { period: '90d', by: 'app', app: 'prt_1', model: 'acme/large-2', page: 3 } as const;
    const url = new URL(writeQuery(query), 'http://localhost');
    expect(readQuery(Object.fromEntries(url.searchParams))).toEqual(query);
    expect(writeQuery(readQuery({}))).toBe('/account/activity');
  });

  it('falls back to the default for invalid values', () => {
    const invalid = { period: '1e9', by: 'x', app: 'a\u0000b', model: 'm'.repeat(300), page: '-1' };
    expect(readQuery(invalid)).toEqual({
      period: '30d',
      by: 'model',
      app: undefined,
      model: undefined,
      page: 1,
    });
    expect(readQuery({ page: ['2', '3'], app: '' })).toMatchObject({ page: 2, app: undefined });
    for (const page of ['1.5', '0', '9999999', 'NaN', '']) expect(readQuery({ page }).page).toBe(1);
  });
});

const day = (date: string, model: string, credits: number, partnerId = 'prt_1'): UsageDay => ({
  day: date,
  partnerId,
  model,
  requests: 1,
  tokens: 10,
  charge: BigInt(credits) * 1_000_000n,
});

describe('the bars', () => {
  const window = {
    from: '2026-11-01',
    to: '2026-11-04',
    step: 'day',
    by: 'model',
    names: new Map(),
  } as const;

  it('cover every day, including days without usage', () => {
    const { rows, series } = chartOf([day('2026-11-02', 'a', 5), day('2026-11-02', 'b', 2)], window);
    expect(rows).toEqual([
      { label: 'Nov 1', values: {} },
      { label: 'Nov 2', values: { a: 5, b: 2 } },
      { label: 'Nov 3', values: {} },
    ]);
    expect(series).toEqual(['a', 'b']);
  });

  it('name the highest and combine the rest, without losing a credit', () => {
    const days = Array.from({ length: 9 }, (_, i) => day('2026-11-01', `m${i}`, i + 1));
    const { rows, series } = chartOf(days, window);
    expect(series).toEqual(['m8', 'm7', 'm6', 'm5', 'm4', 'Other']);
    expect(rows[0]?.values).toEqual({ m8: 9, m7: 8, m6: 7, m5: 6, m4: 5, Other: 10 });
  });

  it('keep two apps with the same name apart', () => {
    const names = new Map([
      ['prt_1', 'Notes'],
      ['prt_2', 'Notes'],
    ]);
    const days = [day('2026-11-01', 'a', 2, 'prt_1'), day('2026-11-01', 'a', 1, 'prt_2')];
    expect(chartOf(days, { ...window, by: 'app', names }).series).toEqual(['Notes', 'Notes (2)']);
    expect(sharesOf(days, { by: 'app', names }).map(({ id }) => id)).toEqual(['prt_1', 'prt_2']);
  });

  it('are monthly for a year', () => {
    const { rows } = chartOf([day('2026-10-31', 'a', 1), day('2026-11-01', 'a', 2)], {
      ...window,
      from: '2026-10-01',
      to: '2026-11-04',
      step: 'month',
    });
    expect(rows).toEqual([
      { label: 'Oct 26', values: { a: 1 } },
      { label: 'Nov 26', values: { a: 2 } },
    ]);
  });
});

describe('credits', () => {
  it('are never rounded up, and nothing charged looks free', () => {
    expect(inColumn(0.999999)).toBe('0.99');
    expect(inColumn(0.29)).toBe('0.29');
    expect(writeCharge(0.00001)).toBe('< 0.0001');
    expect(writeCharge(0)).toBe('0.0000');
    expect(inDollars(1_294_529_999n)).toBe('$12.94');
    expect([0n, 1n, 999_999n, 1_000_000n].map(inDollars)).toEqual([
      '$0.00',
      'less than $0.01',
      'less than $0.01',
      '$0.01',
    ]);
  });

  it('are aligned, however many decimals each needs', () => {
    expect(alignDecimals(['0.02391', '3', '0.000102'])).toEqual(['0.023910', '3.000000', '0.000102']);
    expect(alignDecimals(['0.3', '15'])).toEqual(['0.30', '15.00']);
  });
});
