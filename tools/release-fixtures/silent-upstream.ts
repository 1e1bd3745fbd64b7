import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Part of an answer is recorded once a second. */
const WORD_MS = 300

/** A server whose chats have no end, and that answers no other request. @returns its origin */
export async function startSilentUpstream(): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/models') response.end('{"object":"list","data":[]}')
    if (request.url !== '/v1/chat/completions') return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    while (!response.destroyed) {
      const choices = [{ index: 0, delta: { role: 'assistant', content: 'word ' }, finish_reason: null }]
      const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'm', choices }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
      await wait(WORD_MS)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
