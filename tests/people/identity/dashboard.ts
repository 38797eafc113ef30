import { readFileSync } from 'node:fs';
import { SESSION_COOKIE } from '@/server/people/session-cookie';

/** Calls server actions as any client can: over HTTP, with the ids in the built pages. */

type Action = { id: string; page: string };

export type Sender = {
  /** The token of a session; absent when signed out. */
  token?: string | undefined;
  /** The headers with which the browser describes the calling page. */
  headers: Record<string, string>;
  /** The calling page, if not any that offers the action: a page that is refused sets no cookie. */
  page?: string;
};

export type ActionResponse = {
  status: number;
  text: string;
  /** The result of the action; null when it never ran. */
  result: { ok: boolean; [field: string]: unknown } | null;
  setsCookie: boolean;
};

export class Dashboard {
  private readonly actions = readActions();

  /** `url` as users enter it: pages accept requests from exactly this origin. */
  constructor(readonly url: string) {}

  get actionNames(): string[] {
    return [...this.actions.keys()].sort();
  }

  /** The headers that a browser sends for a page of the service. */
  get ownPage(): Record<string, string> {
    return { origin: this.url, 'sec-fetch-site': 'same-origin' };
  }

  /** Calls an action as a script on one of our pages does. */
  call(name: string, input: unknown, sender: Sender): Promise<ActionResponse> {
    const { id, page } = this.find(name);
    return this.post(sender.page ?? page, sender, {
      headers: { 'next-action': id, 'content-type': 'text/plain;charset=UTF-8', accept: 'text/x-component' },
      body: writeArguments(input),
    });
  }

  /** Calls an action as a form without a script does: any other site can send one without a preflight. */
  submit(name: string, input: unknown, sender: Sender): Promise<ActionResponse> {
    const { id, page } = this.find(name);
    const form = new FormData();
    form.set('$ACTION_REF_1', '');
    form.set('$ACTION_1:0', JSON.stringify({ id, bound: '$@1' }));
    form.set('$ACTION_1:1', writeArguments(input));
    return this.post(page, sender, { body: form });
  }

  find(name: string): Action {
    const action = this.actions.get(name);
    if (action === undefined) throw new Error(`The pages have no action ${name}`);
    return action;
  }

  private async post(page: string, { token, headers }: Sender, init: RequestInit): Promise<ActionResponse> {
    const response = await fetch(this.url + page, {
      method: 'POST',
      redirect: 'manual',
      ...init,
      headers: {
        // Compressing takes longer than the loopback.
        'accept-encoding': 'identity',
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

/** Encodes the arguments as React does. */
const writeArguments = (input: unknown): string =>
  JSON.stringify([input === undefined ? '$undefined' : input]);

/** Returns the actions by name, each with a page that offers it. */
function readActions(): Map<string, Action> {
  const { node } = JSON.parse(readFileSync('.next/server/server-reference-manifest.json', 'utf8')) as {
    node: Record<string, { exportedName: string; workers: Record<string, unknown> }>;
  };
  const actions = new Map<string, Action>();
  for (const [id, { exportedName, workers }] of Object.entries(node)) {
    if (actions.has(exportedName)) throw new Error(`Two actions are called ${exportedName}: rename one`);
    const [place = ''] = Object.keys(workers);
    const page = place.replace(/^app|\/\(\w+\)(?=\/)|\/page$/g, '').replace(/\[\.*\w+\]/g, 'x');
    actions.set(exportedName, { id, page });
  }
  return actions;
}
