import { type CatalogModel, catalogModels } from '../pricing/catalog';
import type { Command, Outcome } from './command';
import { alignColumns } from './output';

export const modelCommands: Readonly<Record<string, Command>> = {
  'models list': {
    usage: 'models list',
    summary: 'the catalogue, in USD per million tokens',
    needs: 'nothing',
    run: list,
  },
  'models check': {
    usage: 'models check',
    summary: 'whether the catalogue makes sense',
    needs: 'nothing',
    run: check,
  },
};

async function list(): Promise<Outcome> {
  const models = catalogModels();
  const rows = models.map(({ id, listPrices, contextWindow }) => [
    id,
    listPrices.input,
    listPrices.output,
    String(contextWindow),
  ]);
  return {
    json: models.map((model) => ({
      id: model.id,
      name: model.name,
      context_window: model.contextWindow,
      max_tokens: model.maxOutputTokens,
      pricing: {
        input: model.listPrices.input,
        output: model.listPrices.output,
        cache_read: model.listPrices.cacheRead,
        cache_write: model.listPrices.cacheWrite,
      },
    })),
    text: alignColumns([['model', 'input', 'output', 'context'], ...rows]),
  };
}

async function check(): Promise<Outcome> {
  const models = catalogModels();
  const problems = models.flatMap((model) => problemsOf(model).map((problem) => `${model.id}: ${problem}`));
  const isBad = problems.length > 0;
  return {
    json: { ok: !isBad, models: models.length, problems },
    text: isBad ? problems.join('\n') : `The catalogue is sound: ${models.length} models.`,
    isBad,
  };
}

function problemsOf({
  provider,
  upstreamModel,
  prices,
  contextWindow,
  maxOutputTokens,
}: CatalogModel): string[] {
  const rules: [boolean, string][] = [
    [provider !== '' && upstreamModel !== '', 'the id is not provider/model'],
    [prices.input > 0n && prices.output > 0n, 'a price is zero'],
    [prices.cacheRead <= prices.input, 'a cached token costs more than a fresh one'],
    [maxOutputTokens > 0 && maxOutputTokens <= contextWindow, 'it may write more than its context holds'],
  ];
  return rules.filter(([holds]) => !holds).map(([, problem]) => problem);
}
