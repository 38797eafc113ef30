/** What a page needs to show the checkout. */
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
