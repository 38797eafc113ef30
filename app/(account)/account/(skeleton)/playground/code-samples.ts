import type { Message } from '@/app/_requests/call-api';

/** The program that sends a conversation, for the clients that most people use. */

export type Sample = { name: string; language: 'sh' | 'js' | 'python'; code: string };

type Asked = { apiUrl: string; model: string; messages: readonly Message[] };

export function writeSamples({ apiUrl, model, messages }: Asked): Sample[] {
  const chat = { model, messages };
  const [instructions] = messages.filter(({ role }) => role === 'system');
  const system = instructions === undefined ? {} : { system: instructions.content };
  const turns = messages.filter(({ role }) => role !== 'system');
  return [
    {
      name: 'curl',
      language: 'sh',
      code: `curl ${apiUrl}/v1/chat/completions \\
  -H "Authorization: Bearer $SVC_USER_KEY" \\
  -H "Content-Type: application/json" \\
  -d @- <<'END'
${toJson(chat)}
END`,
    },
    {
      name: 'OpenAI, Python',
      language: 'python',
      code: `import json, os
from openai import OpenAI

client = OpenAI(base_url="${apiUrl}/v1", api_key=os.environ["SVC_USER_KEY"])
messages = json.loads(r'''${toJson(messages).replaceAll("'''", '\\u0027\\u0027\\u0027')}''')
response = client.chat.completions.create(model="${model}", messages=messages)
print(response.choices[0].message.content)`,
    },
    {
      name: 'OpenAI, JavaScript',
      language: 'js',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${apiUrl}/v1', apiKey: process.env.SVC_USER_KEY });
const response = await client.chat.completions.create(${toJson(chat)});
console.log(response.choices[0].message.content);`,
    },
    {
      name: 'Anthropic, JavaScript',
      language: 'js',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${apiUrl}', apiKey: process.env.SVC_USER_KEY });
const response = await client.messages.create(${toJson({ model, max_tokens: 4096, ...system, messages: turns })});
console.log(response.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));`,
    },
    {
      name: 'AI SDK',
      language: 'js',
      code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const svc = createOpenAICompatible({ name: 'svc', baseURL: '${apiUrl}/v1', apiKey: process.env.SVC_USER_KEY });
const { text } = await generateText({ model: svc('${model}'), ${toJson({ ...system, messages: turns })
        .slice(1, -1)
        .trim()} });
console.log(text);`,
    },
  ];
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);
