import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { type ScriptedUpstream, startScriptedUpstream } from '../../harness/scripted-upstream';

/** A model of each upstream format, by its id for clients; `upstreamName` is its provider's name for it. */
export const GPT = 'openai/gpt-4.1-mini';
export const CLAUDE = 'anthropic/claude-haiku-4-5';
export const upstreamName = (model: string): string => model.slice(model.indexOf('/') + 1);

export type ClientWorld = { url: string; person: Person; upstream: ScriptedUpstream };

/** Starts the API on a real port, with a scripted provider of each format behind it. */
export async function startClientWorld({ more = [] as string[] } = {}): Promise<ClientWorld> {
  await newDatabase();
  const upstream = await startScriptedUpstream();
  process.env.OPENAI_API_KEY = 'sk-of-the-operator-openai';
  process.env.OPENAI_BASE_URL = `${upstream.url}/v1`;
  process.env.ANTHROPIC_API_KEY = 'sk-ant-of-the-operator';
  process.env.ANTHROPIC_BASE_URL = upstream.url;
  for (const name of more) {
    process.env[`${name}_API_KEY`] = 'key-of-the-operator';
    process.env[`${name}_BASE_URL`] = `${upstream.url}/v1`;
  }
  const { url } = await startApi();
  return { url, upstream, person: await newPerson({ credits: 1_000 }) };
}
