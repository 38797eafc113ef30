type Download = { fileName: string; contentType: string; head: string; texts: AsyncGenerator<string> };

/**
 * A file, streamed while it is read, so that a year of rows never sits in memory. Reads only as fast as the browser
 * consumes it and stops when the client disconnects. A failure on the first read still produces an error status; a later
 * one breaks the download off.
 */
export async function downloadResponse({ fileName, contentType, head, texts }: Download): Promise<Response> {
  const encoder = new TextEncoder();
  let first: IteratorResult<string> | undefined = await texts.next();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(head));
    },
    async pull(controller) {
      const { value, done } = first ?? (await texts.next());
      first = undefined;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': contentType,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
    },
  });
}
