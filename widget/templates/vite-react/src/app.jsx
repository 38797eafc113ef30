import OpenAI from 'openai';
import { useState } from 'react';
import { Balance, BuyCredits, PriceEstimate, SpendToday, useSvc } from 'svc-checkout/react';

const MODEL = 'sandbox/story';

export function App() {
  // Adds the user's key, and opens the checkout on a 402.
  const { fetch } = useSvc();
  const [question, setQuestion] = useState('');
  const [answer, setAnswer] = useState('');

  async function ask(event) {
    event.preventDefault();
    setAnswer('Thinking…');
    const client = new OpenAI({
      baseURL: 'https://YOUR-SERVICE/v1',
      apiKey: 'of the user',
      fetch,
      dangerouslyAllowBrowser: true, // the page contains no key of yours
    });
    try {
      const stream = await client.chat.completions.create({
        model: MODEL,
        messages: [{ role: 'user', content: question }],
        max_tokens: 300,
        stream: true,
      });
      let text = '';
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta?.content ?? '';
        setAnswer(text);
      }
    } catch (error) {
      setAnswer(error.message);
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
