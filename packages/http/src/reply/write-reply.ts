import type { ServerResponse } from 'node:http'
import type { Logger } from '@tollbook/flow/logger'
import { cutAnswer } from './cut-answer.ts'
import type { EndAnswer } from './end-together.ts'
import type { Reply } from './reply.ts'

/**
 * Writes a reply to its connection when it is ready. A stream body is read no faster than the client takes
 * it, because what is read counts as delivered; if it fails, the answer is cut.
 */
export async function writeReply(
  outgoing: ServerResponse,
  reply: Promise<Reply>,
  { endTogether, logger }: { readonly endTogether: EndAnswer; readonly logger: Logger },
): Promise<void> {
  try {
    const { status, headers, body } = await reply
    if (body instanceof ReadableStream) {
      outgoing.writeHead(status, headers)
      await writeLive(outgoing, body)
    } else if (body !== null) {
      outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
      endTogether(outgoing, body)
    } else {
      outgoing.writeHead(status, status === 204 || status === 304 ? headers : { ...headers, ...EMPTY })
      outgoing.end()
    }
  } catch (error) {
    cutAnswer(outgoing, error, logger)
  }
}

const EMPTY = { 'content-length': '0' }

async function writeLive(outgoing: ServerResponse, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  let takesMore = () => {}
  const leave = () => {
    takesMore()
    reader.cancel().catch(() => {})
  }
  if (outgoing.closed || outgoing.destroyed) leave()
  else outgoing.once('close', leave).on('drain', () => takesMore())
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (outgoing.write(value) || outgoing.closed) continue
    await new Promise<void>((resolve) => {
      takesMore = resolve
    })
  }
  outgoing.end()
}
