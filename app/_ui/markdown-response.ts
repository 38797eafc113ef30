/** A page of the documentation for programs. */
export const markdownResponse = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/markdown; charset=utf-8' } });
