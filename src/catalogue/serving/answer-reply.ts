import type { Reply } from '../../http/reply/reply.ts'
import type { Answer, StreamPiece } from '../answer.ts'

/** Converts an answer to a reply. */
export function toReply(answer: Answer): Reply {
  switch (answer.kind) {
    case 'json':
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...answer.headers },
        body: JSON.stringify(answer.body),
      }
    case 'bytes':
      return {
        status: 200,
        headers: { 'content-type': answer.contentType, ...answer.headers },
        body: answer.body,
      }
    case 'stream':
      return {
        status: 200,
        headers: { 'content-type': answer.contentType },
        body: toByteStream(answer.pieces),
      }
  }
}

/** Reads pieces as fast as the client takes them, and aborts the producer when the client disconnects. */
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
