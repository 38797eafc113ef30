import { z } from 'zod';
import { priceText } from './list-price';
import toolPricesJson from './tool-prices.json';

/** The prices of tools that run at a provider, which are the same for all of its models. */

const toolPricesSchema = z.object({
  webSearch: z.array(
    z.object({
      provider: z.string(),
      price: priceText,
      except: z.array(z.string()).default([]),
      /** When the source was last compared with the price; absent for the sandbox. */
      date: z.iso.date().optional(),
    }),
  ),
});

/** Of each provider that searches the web. */
export const { webSearch: searchPrices } = toolPricesSchema.parse(toolPricesJson);

/** USD per 1,000 web searches; undefined for a model whose provider runs none. */
export function findSearchPrice(modelId: string): string | undefined {
  const provider = modelId.slice(0, modelId.indexOf('/'));
  return searchPrices.find((tool) => tool.provider === provider && !tool.except.includes(modelId))?.price;
}
