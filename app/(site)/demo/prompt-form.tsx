'use client';

import { useId, useState } from 'react';
import { Button } from '../../_ui/button';

/** Makes pictures instead of text. */
export const PICTURE_MODEL = 'sandbox/paint';
/** Makes speech. */
export const SPEECH_MODEL = 'sandbox/speak';

const MODELS = [
  { id: 'sandbox/story', name: 'Story – writes prose' },
  { id: 'sandbox/echo', name: 'Echo – repeats you' },
  { id: PICTURE_MODEL, name: 'Paint – makes a picture' },
  { id: SPEECH_MODEL, name: 'Speak – reads aloud' },
];

/** Prefilled, so that the first response is one click away. */
const FIRST_PROMPT = 'Tell me a story about a lighthouse';

type Props = {
  isReady: boolean;
  isStreaming: boolean;
  onSend(model: string, prompt: string): void;
  onStop(): void;
};

export function PromptForm({ isReady, isStreaming, onSend, onStop }: Props) {
  const id = useId();
  const [prompt, setPrompt] = useState(FIRST_PROMPT);
  const [model, setModel] = useState(MODELS[0]?.id ?? '');

  return (
    <form
      className="mt-8"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isStreaming) onSend(model, prompt.trim());
      }}
    >
      <label htmlFor={`${id}-prompt`} className="mb-1.5 block text-sm font-medium">
        Your prompt
      </label>
      <div className="rounded-2xl border border-field/60 bg-surface transition-colors focus-within:outline-2 focus-within:outline-offset-[-1px] focus-within:outline-accent hover:border-field">
        <textarea
          id={`${id}-prompt`}
          name="prompt"
          rows={3}
          required
          value={prompt}
          onChange={(event) => setPrompt(event.target.value.trimStart())}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          placeholder="Ask anything"
          className="block w-full resize-y rounded-2xl bg-transparent px-4 pt-3.5 pb-2 text-base leading-relaxed outline-none placeholder:text-muted/80"
        />
        <div className="flex items-center justify-between gap-3 p-2">
          <select
            aria-label="Model"
            name="model"
            value={model}
            onChange={(event) => setModel(event.target.value)}
            className="h-11 min-w-0 rounded-lg bg-transparent px-2 text-sm text-muted hover:text-text sm:h-10"
          >
            {MODELS.map(({ id: value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
          {isStreaming ? (
            <Button look="secondary" onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button type="submit" disabled={!isReady}>
              Send
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}
