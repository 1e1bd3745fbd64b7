import type { Answer, StreamPiece } from './answer.ts'

/** Writes an answer as a response; the headers given beside it win. */
export function toResponse(answer: Answer, headers: Readonly<Record<string, string>> = {}): Response {
  switch (answer.kind) {
    case 'json':
      return new Response(JSON.stringify(answer.body), {
        status: answer.status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...answer.headers, ...headers },
      })
    case 'bytes':
      return new Response(new Uint8Array(answer.body), {
        headers: { 'content-type': answer.contentType, ...answer.headers, ...headers },
      })
    case 'stream':
      return new Response(toByteStream(answer.pieces), {
        headers: { 'content-type': answer.contentType, ...headers },
      })
  }
}

/** Reads pieces as fast as the client takes them, and tells the producer when the client leaves. */
function toByteStream(pieces: AsyncIterable<StreamPiece>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value.bytes)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
