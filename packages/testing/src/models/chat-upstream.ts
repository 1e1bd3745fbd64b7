import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'

export type UpstreamCall = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it sent
  readonly body: any
}

/** Answers a call of `/v1/chat/completions`. */
export type UpstreamAnswer = (call: UpstreamCall, response: ServerResponse) => void | Promise<void>

/**
 * A server of chat completions on loopback, in the form that the API's reference documents. It counts words
 * as tokens, and answers with what `answer` returns; by default it repeats the last message in capitals.
 */
export async function startChatUpstream(answer: UpstreamAnswer = shout) {
  const calls: UpstreamCall[] = []
  let current = answer
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/models') {
      response.end('{"object":"list","data":[]}')
      return
    }
    const call = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse((await readText(request)) || '{}'),
    }
    calls.push(call)
    await current(call, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answerWith(next: UpstreamAnswer) {
      current = next
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type TestUpstream = Awaited<ReturnType<typeof startChatUpstream>>

/** Sends the parts of an event stream as they are, each in a piece of its own. */
export function sendPieces(pieces: readonly (string | Uint8Array)[], end = true): UpstreamAnswer {
  return async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const piece of pieces) {
      await new Promise<void>((resolve) => response.write(piece, () => setImmediate(resolve)))
    }
    if (end) response.end()
  }
}

/** An event that carries a chunk. */
export function toEvent(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** A chunk in the documented form. */
export function toChunk(delta: unknown, finishReason: string | null = null, more: object = {}) {
  return {
    id: 'chatcmpl-9',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'upstream-model',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...more,
  }
}

/** The chunk with the counts, which follows the last choice. */
export function toUsageChunk(promptTokens: number, completionTokens: number) {
  return { ...toChunk({}), choices: [], usage: toUsage(promptTokens, completionTokens) }
}

export function toCompletion(message: object, finishReason = 'stop', usage = toUsage(5, 2)) {
  return {
    id: 'chatcmpl-9',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'upstream-model',
    choices: [
      { index: 0, message: { role: 'assistant', refusal: null, ...message }, finish_reason: finishReason },
    ],
    usage,
    system_fingerprint: 'fp_1',
  }
}

export function sendJson(value: unknown, status = 200, headers: Record<string, string> = {}): UpstreamAnswer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
  }
}

function toUsage(promptTokens: number, completionTokens: number) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}

async function shout(call: UpstreamCall, response: ServerResponse): Promise<void> {
  const last = call.body.messages.at(-1).content
  const words = String(typeof last === 'string' ? last : (last?.[0]?.text ?? ''))
    .toUpperCase()
    .split(' ')
  const usage = [words.length, words.length] as const
  if (!call.body.stream) {
    return sendJson(toCompletion({ content: words.join(' ') }, 'stop', toUsage(...usage)))(call, response)
  }
  const chunks = [
    toChunk({ role: 'assistant', content: '' }),
    ...words.map((word, at) => toChunk({ content: at === 0 ? word : ` ${word}` })),
    toChunk({}, 'stop'),
    ...(call.body.stream_options?.include_usage ? [toUsageChunk(...usage)] : []),
  ]
  await sendPieces([...chunks.map(toEvent), 'data: [DONE]\n\n'])(call, response)
}
