import { readFileSync } from 'node:fs';
import { SESSION_COOKIE } from '@/server/identity/session-cookie';

/** Server actions as anybody can call them: over HTTP, by what the built pages tell of them. */

type Action = { id: string; page: string };

export type Sender = {
  /** The token of a session; none when nobody is signed in. */
  token?: string | undefined;
  /** What the sender's browser says of the page that asks. */
  headers: Record<string, string>;
};

export type Answer = {
  status: number;
  text: string;
  /** What the action answered; null when it never ran. */
  result: { ok: boolean; [field: string]: unknown } | null;
  setsCookie: boolean;
};

export class Dashboard {
  private readonly actions = readActions();

  /** `url` as people write it: pages take requests of this very origin only. */
  constructor(readonly url: string) {}

  get actionNames(): string[] {
    return [...this.actions.keys()].sort();
  }

  /** As a browser sends it for a page of the service itself. */
  get ownPage(): Record<string, string> {
    return { origin: this.url, 'sec-fetch-site': 'same-origin' };
  }

  /** As a script on one of our pages calls it. */
  call(name: string, input: unknown, sender: Sender): Promise<Answer> {
    const { id, page } = this.find(name);
    return this.post(page, sender, {
      headers: { 'next-action': id, 'content-type': 'text/plain;charset=UTF-8', accept: 'text/x-component' },
      body: writeArguments(input),
    });
  }

  /** As a form without any script calls it: what a page elsewhere can send, and the browser asks nobody. */
  submit(name: string, input: unknown, sender: Sender): Promise<Answer> {
    const { id, page } = this.find(name);
    const form = new FormData();
    form.set('$ACTION_REF_1', '');
    form.set('$ACTION_1:0', JSON.stringify({ id, bound: '$@1' }));
    form.set('$ACTION_1:1', writeArguments(input));
    return this.post(page, sender, { body: form });
  }

  private find(name: string): Action {
    const action = this.actions.get(name);
    if (action === undefined) throw new Error(`The pages have no action ${name}`);
    return action;
  }

  private async post(page: string, { token, headers }: Sender, init: RequestInit): Promise<Answer> {
    const response = await fetch(this.url + page, {
      method: 'POST',
      redirect: 'manual',
      ...init,
      headers: {
        ...(init.headers as Record<string, string> | undefined),
        ...headers,
        ...(token !== undefined && { cookie: `${SESSION_COOKIE}=${token}` }),
      },
    });
    const text = await response.text();
    const line = /^\d+:(\{"ok":.*\})$/m.exec(text)?.[1];
    return {
      status: response.status,
      text,
      result: line === undefined ? null : JSON.parse(line),
      setsCookie: response.headers.has('set-cookie'),
    };
  }
}

/** In the form of React's own calls. */
const writeArguments = (input: unknown): string =>
  JSON.stringify([input === undefined ? '$undefined' : input]);

/** By name, with a page that offers them. */
function readActions(): Map<string, Action> {
  const { node } = JSON.parse(readFileSync('.next/server/server-reference-manifest.json', 'utf8')) as {
    node: Record<string, { exportedName: string; workers: Record<string, unknown> }>;
  };
  const actions = new Map<string, Action>();
  for (const [id, { exportedName, workers }] of Object.entries(node)) {
    if (actions.has(exportedName)) throw new Error(`Two actions are called ${exportedName}: tell them apart`);
    const [place = ''] = Object.keys(workers);
    const page = place.replace(/^app|\/\(\w+\)(?=\/)|\/page$/g, '').replace(/\[\.*\w+\]/g, 'x');
    actions.set(exportedName, { id, page });
  }
  return actions;
}
