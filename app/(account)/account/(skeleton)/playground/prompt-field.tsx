'use client';

import { useId, useState } from 'react';
import { Button } from '@/app/_ui/button';

type Props = { isStreaming: boolean; onSend: (text: string) => void; onStop: () => void };

/** Enter sends; Shift and Enter begin a new line. */
export function PromptField({ isStreaming, onSend, onStop }: Props) {
  const id = useId();
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  const send = () => {
    if (isStreaming) return;
    const trimmed = text.trim();
    setMissing(trimmed === '');
    if (trimmed === '') return;
    onSend(trimmed);
    setText('');
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label htmlFor={id} className="sr-only">
        Message
      </label>
      <div className="rounded-2xl border border-field/60 bg-surface focus-within:outline-2 focus-within:outline-offset-[-1px] focus-within:outline-accent hover:border-field">
        <textarea
          id={id}
          name="message"
          rows={3}
          value={text}
          placeholder="Message"
          aria-invalid={isMissing}
          aria-describedby={isMissing ? `${id}-error` : undefined}
          onChange={({ target }) => {
            setText(target.value);
            setMissing(false);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
          className="block w-full resize-y rounded-2xl bg-transparent px-4 pt-3.5 pb-2 text-base leading-relaxed outline-none placeholder:text-muted/80"
        />
        <div className="flex justify-end p-2">
          {isStreaming ? (
            <Button look="secondary" onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button type="submit">Send</Button>
          )}
        </div>
      </div>
      {isMissing && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-sm text-danger">
          Write a message first.
        </p>
      )}
    </form>
  );
}
