import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

/** The official clients' reading of a stream: they throw on anything that they cannot parse. */

const respondWith = (text: string) => () =>
  Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } }));

export async function readWithOpenAi(text: string): Promise<OpenAI.ChatCompletion> {
  const client = new OpenAI({ apiKey: 'key', fetch: respondWith(text), maxRetries: 0 });
  const stream = client.chat.completions.stream({
    model: 'some/model',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  return stream.finalChatCompletion();
}

export async function readWithAnthropic(text: string): Promise<Anthropic.Message> {
  const client = new Anthropic({ apiKey: 'key', fetch: respondWith(text), maxRetries: 0 });
  const stream = client.messages.stream({
    model: 'some/model',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  return stream.finalMessage();
}

export async function readResponse(text: string): Promise<OpenAI.Responses.Response> {
  const client = new OpenAI({ apiKey: 'key', fetch: respondWith(text), maxRetries: 0 });
  return client.responses.stream({ model: 'some/model', input: 'Hi' }).finalResponse();
}
