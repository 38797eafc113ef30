'use client';

import { useReducer, useRef, useState } from 'react';
import { findUsage, streamResponse } from '@/app/_requests/call-api';
import { formatCredits } from '@/app/_ui/amount';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { costOf, EMPTY, reduce, type Turn, writeMessages } from './conversation';
import { PromptField } from './prompt-field';
import { StartForm } from './start-form';
import { ViewCode } from './view-code';

type Props = {
  models: { id: string; label: string }[];
  /** The credits that the playground can spend. */
  balance: number;
  apiUrl: string;
  /** The page of the playground among the user's apps. */
  appPath: string;
};

/** The key stays in this page: it is minted when the user starts, and gone with the page. */
export function Playground({ models, balance, apiUrl, appPath }: Props) {
  const [userKey, setUserKey] = useState<string | null>(null);
  const [model, setModel] = useState(models[0]?.id ?? '');
  const [system, setSystem] = useState('');
  const { turns, problem, isStreaming, send, stop, clear } = useConversation();
  if (models.length === 0) return <Notice kind="info">This service serves no model yet.</Notice>;
  if (userKey === null) return <StartForm balance={balance} appPath={appPath} onStart={setUserKey} />;
  const messages = writeMessages(turns, system.trim());
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Model"
          large
          value={model}
          onChange={({ target }) => setModel(target.value)}
          options={models.map(({ id, label }) => ({ value: id, label: `${label} (${id})` }))}
        />
        <TextField
          label="Instructions"
          name="system"
          placeholder="You are concise."
          value={system}
          onChange={({ target }) => setSystem(target.value)}
        />
      </div>
      {turns.length > 0 && <Turns turns={turns} />}
      {problem && (
        <Notice kind="danger">
          {problem.text}{' '}
          {problem.link && (
            <a href={problem.link.href} target="_blank" rel="noopener" className="font-medium underline">
              {problem.link.label}
            </a>
          )}
        </Notice>
      )}
      <PromptField
        isStreaming={isStreaming}
        onSend={(text) => void send(userKey, { model, system: system.trim(), text })}
        onStop={stop}
      />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status" className="text-sm text-muted" data-testid="total">
          {turns.length > 0 && `${formatCredits(costOf(turns), 'en', 6)} credits in all`}
        </p>
        <div className="flex gap-2">
          {turns.length > 0 && (
            <Button look="quiet" size="small" onClick={clear}>
              New conversation
            </Button>
          )}
          <ViewCode apiUrl={apiUrl} model={model} messages={messages.length > 0 ? messages : EXAMPLE} />
        </div>
      </div>
    </div>
  );
}

/** Whatever host the page was opened at. */
const OWN_ORIGIN = '';
const EXAMPLE = [{ role: 'user', content: 'Hello' }] as const;

/** Sends one request at a time. */
function useConversation() {
  const [{ turns, problem }, dispatch] = useReducer(reduce, EMPTY);
  const [isStreaming, setStreaming] = useState(false);
  const running = useRef<AbortController | null>(null);

  async function send(userKey: string, asked: { model: string; system: string; text: string }) {
    const { model, system, text } = asked;
    running.current = new AbortController();
    const { signal } = running.current;
    const messages = writeMessages([...turns, { by: 'user', text }], system);
    dispatch({ type: 'sent', text, model });
    setStreaming(true);
    try {
      const requestId = await streamResponse(OWN_ORIGIN, userKey, { model, messages, signal }, (piece) =>
        dispatch({ type: 'text_received', text: piece }),
      );
      dispatch({ type: 'usage_read', usage: await findUsage(OWN_ORIGIN, userKey, requestId) });
    } catch (error) {
      if (!signal.aborted) dispatch({ type: 'failed', error });
    }
    dispatch({ type: 'ended' });
    setStreaming(false);
  }

  return {
    turns,
    problem,
    isStreaming,
    send,
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      dispatch({ type: 'cleared' });
    },
  };
}

function Turns({ turns }: { turns: readonly Turn[] }) {
  return (
    <ol aria-label="Conversation" className="flex flex-col gap-4">
      {turns.map((turn, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end
        <li key={place} className={turn.by === 'user' ? 'self-end sm:max-w-[85%]' : 'min-w-0'}>
          {turn.by === 'user' ? (
            <p className="rounded-2xl bg-accent/10 px-4 py-3 break-words whitespace-pre-wrap">
              <span className="sr-only">You: </span>
              {turn.text}
            </p>
          ) : (
            <Answer {...turn} />
          )}
        </li>
      ))}
    </ol>
  );
}

function Answer({ text, model, isStreaming, usage }: Extract<Turn, { by: 'model' }>) {
  return (
    <div aria-busy={isStreaming}>
      <p className="min-h-12 rounded-2xl border border-line bg-surface px-4 py-3 leading-relaxed break-words whitespace-pre-wrap">
        <span className="sr-only">{model}: </span>
        {text}
      </p>
      <p className="mt-1.5 min-h-5 px-1 text-[13px] text-muted tabular-nums" data-testid="cost">
        {usage === null
          ? isStreaming
            ? 'Answering …'
            : `${model} · stopped · see Activity for the cost`
          : `${model} · ${formatCredits(Math.abs(usage.credits), 'en', 6)} credits · ${usage.input_tokens} tokens in, ${usage.output_tokens} out`}
      </p>
    </div>
  );
}
