import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type SentRequest = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Answers the requests of one HTTP request; a string is sent as it is. */
export type AnswerRequests = (requests: readonly SentRequest[], response: ServerResponse) => unknown

/** A JSON-RPC server on this machine that answers as a test says, and records what it received. */
export async function startJsonRpcServer() {
  const seen: { readonly requests: readonly SentRequest[]; readonly authorization: string | undefined }[] = []
  let answer: AnswerRequests = () => 'no answer was set'
  const server = createServer(async (request, response) => {
    const requests = [JSON.parse(await text(request)) as SentRequest | SentRequest[]].flat()
    seen.push({ requests, authorization: request.headers.authorization })
    const result = answer(requests, response)
    // The test keeps the answer open, or has broken the connection.
    if (result instanceof Promise || response.destroyed) return
    response.end(typeof result === 'string' || Buffer.isBuffer(result) ? result : JSON.stringify(result))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    seen,
    setAnswer(next: AnswerRequests) {
      answer = next
      seen.length = 0
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
