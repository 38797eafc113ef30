import { beforeAll, expect, test } from 'vitest';
import { chargeFor, type Picocredits } from '@/server/base/credits';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { hashUserKey } from '@/server/base/tokens';
import { type CatalogModel, catalogModels } from '@/server/gateway/pricing/catalog';
import { costOf } from '@/server/gateway/pricing/cost';
import type { TokenUsage } from '@/server/gateway/protocols/neutral';
import { admit, capture } from '@/server/ledger';
import { buildWidget } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { newPerson } from '../../harness/people';
import { randomFrom } from '../../harness/random';
import { closeBothDays, DAYS, download, moveTo, startStatementWorld } from './statement-world';

/** The verifier states the rule of charges a second time: here both decide about the same receipts. */

// Holds that are too low must not pause anyone.
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000';
await newDatabase();
const world = await startStatementWorld();
const [day] = DAYS;

beforeAll(() => buildWidget(), 120_000);

test('the verifier computes the charge of every price, tier, commission and hold as the service does', async () => {
  const random = randomFrom(11);
  const pick = (below: number): number => Math.floor(random() * below);
  const models = catalogModels();
  const tiered = models.filter(({ prices }) => prices.tiers.length > 0);
  expect(tiered.length).toBeGreaterThan(0);
  for (const rateBp of [0, 1, 1_234, 10_000]) {
    const person = await newPerson({ credits: 100_000, rateBp });
    const book = async (model: CatalogModel, input: number, isReported: boolean): Promise<void> => {
      const usage: TokenUsage = {
        input,
        cacheRead: pick(5_000),
        cacheWrite5m: pick(300),
        cacheWrite1h: pick(300),
        output: pick(4_000),
        reasoning: 0,
        searches: model.prices.webSearch === undefined ? 0 : pick(4),
      };
      const exact = isReported ? (BigInt(pick(1e12)) as Picocredits) : costOf(usage, model.prices);
      // Every fourth hold is too low.
      const want = pick(4) === 0 ? ((exact / 2n) as Picocredits) : ((exact * 2n) as Picocredits);
      const admission = await admit({
        keyHash: hashUserKey(person.userKey) ?? Buffer.alloc(0),
        requestId: newId('req'),
        model: model.id,
        need: 0n as Picocredits,
        want,
      });
      if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
      await capture(admission.hold, chargeFor(exact, admission.hold.rateBp), {
        model: model.id,
        provider: model.provider,
        priceVersion: model.priceVersion,
        inputTokens: usage.input,
        cacheReadTokens: usage.cacheRead,
        cacheWriteTokens: usage.cacheWrite5m,
        cacheWrite1hTokens: usage.cacheWrite1h,
        outputTokens: usage.output,
        reasoningTokens: 0,
        webSearches: usage.searches ?? null,
        inputUnits: usage.inputUnits ?? null,
        outputUnits: usage.outputUnits ?? null,
        estimated: false,
        costReported: isReported,
        outcome: 'completed',
        attempts: null,
        dataRules: null,
      });
    };
    for (let n = 0; n < 12; n++) {
      const list = n % 3 === 0 ? tiered : models;
      const model = list[pick(list.length)] as CatalogModel;
      const above = model.prices.tiers.at(-1)?.above ?? 10_000;
      await book(model, pick(2) === 0 ? pick(10_000) : above + pick(1_000), n % 4 === 1);
    }
    await moveTo(day, person.userId, 'true');
    await prisma().watermark.update({ where: { name: 'statements' }, data: { upTo: new Date(day) } });
    await closeBothDays();
    const file = await download(person.userId, day);
    expect(file.apps[0]?.entries).toHaveLength(13);
    const { code, text } = await world.verify([file]);
    expect([rateBp, code, text]).toEqual([rateBp, 0, expect.stringContaining('12 receipts charged')]);
  }
});
