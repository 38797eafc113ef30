/** The public API, called as any partner's page would call it. */

export type Balance = { balance: number; status: string };
export type Message = { role: 'system' | 'user' | 'assistant'; content: string };
export type Usage = {
  request_id: string;
  credits: number;
  input_tokens: number;
  output_tokens: number;
  input_units?: number;
  output_units?: number;
  commission_credits: number;
};

export class ApiRefusal extends Error {
  constructor(
    readonly type: string,
    message: string,
    /** What the refusal is about: the prompt, or a limit. */
    readonly param: string | null = null,
    /** Where the user can resolve it. */
    readonly actionUrl: string | null = null,
  ) {
    super(message);
  }
}

export async function readBalance(apiUrl: string, userKey: string): Promise<Balance> {
  return (await request(`${apiUrl}/v1/credits/balance`, userKey)).json() as Promise<Balance>;
}

const ATTEMPTS = 6;
const PAUSE_MS = 250;

/** The receipt of one request. It is booked when the response ends, so it may take a moment to appear. */
export async function findUsage(
  apiUrl: string,
  userKey: string,
  requestId: string | null,
): Promise<Usage | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const response = await request(`${apiUrl}/v1/credits/history?limit=5`, userKey);
    const { data } = (await response.json()) as { data: (Usage & { type: string })[] };
    const found = data.find(
      (entry) => entry.type === 'usage' && (requestId === null || entry.request_id === requestId),
    );
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return null;
}

/** Streams a response and returns the id of its request. */
export async function streamResponse(
  apiUrl: string,
  userKey: string,
  { signal, ...input }: { model: string; messages: readonly Message[]; signal: AbortSignal },
  onText: (text: string) => void,
): Promise<string | null> {
  const response = await request(`${apiUrl}/v1/chat/completions`, userKey, {
    signal,
    body: { ...input, stream: true },
  });
  for await (const data of readEvents(response)) {
    if (data === '[DONE]') break;
    const chunk = JSON.parse(data) as {
      choices?: { delta?: { content?: string | null } }[];
      error?: { type?: string; message?: string };
    };
    if (chunk.error)
      throw new ApiRefusal(
        chunk.error.type ?? 'upstream_error',
        chunk.error.message ?? 'The response ended early',
      );
    onText(chunk.choices?.[0]?.delta?.content ?? '');
  }
  return response.headers.get('x-request-id');
}

/** Makes a picture. Returns it as a data URL, with the id of the request. */
export async function makeImage(
  apiUrl: string,
  userKey: string,
  { signal, ...input }: { model: string; prompt: string; signal: AbortSignal },
): Promise<{ requestId: string | null; url: string }> {
  const body = { ...input, quality: 'low' };
  const response = await request(`${apiUrl}/v1/images/generations`, userKey, { signal, body });
  const { data } = (await response.json()) as { data: { b64_json: string }[] };
  return {
    requestId: response.headers.get('x-request-id'),
    url: `data:image/png;base64,${data[0]?.b64_json ?? ''}`,
  };
}

/** Speaks a text. Returns the audio as an object URL, with the id of the request. */
export async function speak(
  apiUrl: string,
  userKey: string,
  { signal, ...input }: { model: string; input: string; signal: AbortSignal },
): Promise<{ requestId: string | null; url: string }> {
  const body = { ...input, voice: 'alloy', response_format: 'wav' };
  const response = await request(`${apiUrl}/v1/audio/speech`, userKey, { signal, body });
  return {
    requestId: response.headers.get('x-request-id'),
    url: URL.createObjectURL(await response.blob()),
  };
}

async function* readEvents(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield line.slice('data:'.length).trim();
  }
}

async function request(
  url: string,
  userKey: string,
  post?: { body: object; signal: AbortSignal },
): Promise<Response> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${userKey}`, ...(post && { 'content-type': 'application/json' }) },
    ...(post && { method: 'POST', body: JSON.stringify(post.body), signal: post.signal }),
  });
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({}))) as {
    error?: { type?: string; message?: string; param?: string | null; action_url?: string };
  };
  throw new ApiRefusal(
    error?.type ?? 'internal_error',
    error?.message ?? 'The request failed',
    error?.param,
    error?.action_url,
  );
}
