import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { nowMicros, readPlan, type StreamPlan } from './chat-request.ts'
import { type Served, serveMeasured } from './measured.ts'

const HEAD = { id: 'chatcmpl-9', created: 1_790_000_000, model: 'upstream-model', system_fingerprint: 'fp_1' }
const USAGE = { prompt_tokens: 410, completion_tokens: 200, total_tokens: 610 }
/** An answer of 200 tokens. */
const WHOLE = JSON.stringify({
  ...HEAD,
  object: 'chat.completion',
  usage: USAGE,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'It is written. '.repeat(60), refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
})

await serveMeasured(serveStub)

/** A model that answers without delay: the upstream of every side. */
async function serveStub(): Promise<Served> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  // An upstream keeps its connections open until the client closes them.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', 2048)
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json').end('{"object":"list","data":[]}')
    return
  }
  const body = JSON.parse(await readText(request))
  const plan = readPlan(body.messages)
  if (plan) return stream(response, plan, body.stream_options?.include_usage === true)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(WHOLE) })
  response.end(WHOLE)
}

/** Writes each word when it is due; the word is the time at which it was written. */
async function stream(
  response: ServerResponse,
  { chunks, gapMs }: StreamPlan,
  includesUsage: boolean,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  const write = (delta: object, finish_reason: string | null = null) => {
    const chunk = { ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const startMs = performance.now()
  for (let at = 0; at < chunks && !response.closed; at += 1) {
    const waitMs = startMs + at * gapMs - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    write({ ...(at === 0 && { role: 'assistant' }), content: ` ${nowMicros()}` })
  }
  write({}, 'stop')
  if (includesUsage) response.write(`data: ${JSON.stringify({ ...HEAD, choices: [], usage: USAGE })}\n\n`)
  response.end('data: [DONE]\n\n')
}
