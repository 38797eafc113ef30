'use client';
import { streamText } from 'ai';
import { useState } from 'react';
import { createSvc } from 'svc-checkout/ai';
import { Balance, BuyCredits, PriceEstimate, SpendToday, useSvc } from 'svc-checkout/react';

const MODEL = 'sandbox/story';

export default function Page() {
  // Adds the user's key, and opens the checkout on a 402.
  const { fetch } = useSvc();
  const [question, setQuestion] = useState('');
  const [answer, setAnswer] = useState('');

  async function ask(event) {
    event.preventDefault();
    setAnswer('Thinking…');
    const svc = createSvc({ service: 'https://YOUR-SERVICE', fetch });
    const { fullStream } = streamText({ model: svc(MODEL), prompt: question, maxOutputTokens: 300 });
    let text = '';
    for await (const part of fullStream) {
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'error') text = part.error.message;
      setAnswer(text);
    }
  }

  return (
    <main>
      <h1>my-svc-app</h1>
      <p>
        <BuyCredits /> <Balance /> <SpendToday />
      </p>
      <form onSubmit={ask}>
        <input
          aria-label="Question"
          value={question}
          onChange={({ target }) => setQuestion(target.value)}
          required
        />
        <button type="submit">Send</button>
      </form>
      <p>
        <PriceEstimate model={MODEL} prompt={question} outputTokens={300} />
      </p>
      <p id="answer" aria-live="polite">
        {answer}
      </p>
    </main>
  );
}
