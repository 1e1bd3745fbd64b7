import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

export type Received = {
  readonly headers: IncomingHttpHeaders & Record<string, string>
  readonly body: string
}
export type ReceiverAnswer =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | 'silence'

/** A webhook on loopback that answers as the test decides. */
export async function openReceiver(context: TestContext, first: ReceiverAnswer = { status: 204 }) {
  const received: Received[] = []
  const receiver = { received, answer: first, url: '' }
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers as Received['headers'], body: await text(request) })
    if (receiver.answer === 'silence') return
    response.writeHead(receiver.answer.status, receiver.answer.headers).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`
  return receiver
}
