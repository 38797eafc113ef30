/** The code a page needs to open the checkout. */
export function writeSnippet(publishableKey: string, scriptUrl: string): string {
  return `<script src="${scriptUrl}"></script>
<button id="buy">Buy credits</button>
<script>
  Svc.init({
    publishableKey: '${publishableKey}',
    onCreditsAdded: ({ user_key, balance }) => {
      // Send user_key to your backend, or call the API with it.
    },
  });
  document.querySelector('#buy').onclick = () => Svc.open();
</script>`;
}

/** Sends a request with the key that the checkout left in the page. */
export function writeRequestSnippet(baseUrl: string, model: string): string {
  return `const response = await fetch('${baseUrl}/v1/chat/completions', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ' + Svc.getUserKey(),
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    model: '${model}',
    messages: [{ role: 'user', content: 'Hello' }],
  }),
});
console.log(await response.json());`;
}
