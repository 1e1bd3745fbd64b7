import type { Deadline } from '@tollbook/flow/deadline'
import type { Reply } from '@tollbook/http/reply/reply'
import type { Answer, StreamPiece } from './answer.ts'

/** Converts an answer; a stream clears its deadline at the end, or aborts it on disconnection. */
export function toReply(answer: Answer, deadline?: Deadline): Reply {
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
    case 'response':
      return { status: answer.status, headers: answer.headers, body: answer.body }
    case 'stream':
      return {
        status: answer.status ?? 200,
        headers: { 'content-type': answer.contentType, ...answer.headers },
        body: toByteStream(answer.pieces, deadline),
      }
  }
}

/** Reads pieces as fast as the client takes them, and aborts the producer when the client disconnects. */
function toByteStream(pieces: AsyncIterable<StreamPiece>, deadline?: Deadline): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await iterator.next()
        if (!next.done) return controller.enqueue(next.value.bytes)
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      deadline?.clear()
    },
    async cancel() {
      deadline?.abort(new Error('the client disconnected'))
      await iterator.return?.()
    },
  })
}
