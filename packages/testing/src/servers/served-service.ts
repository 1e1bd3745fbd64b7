import { eventStream, json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Gate } from '@tollbook/gate/contract/exchange'
import type { Logger } from 'pino'
import * as z from 'zod'
import { createTestApp, openGate } from '../catalogue/test-app.ts'

/** More than the system buffers for a client that does not read. */
export const LARGE_BYTES = 20_000_000

const common = {
  output: z.unknown(),
  example: { input: {}, output: {} },
} as const

/**
 * A service for tests of the server it runs on. `GET /free?mode=` answers its mode: at once (`ok`), when `release` is
 * called (`wait`), with a long text (`large`), or with a stream that fails (`break`). `POST /free` and
 * `POST /upload`, which is paid, take a body.
 */
export function createServedService(logger: Logger) {
  const waiting = { begun: () => {}, release: () => {}, aborted: (_reason: unknown) => {} }
  const free = defineEndpoint({
    ...common,
    id: 'free',
    method: 'GET',
    path: '/free',
    pricing: { kind: 'free' },
    summary: 'Free',
    description: 'Waits, streams or breaks.',
    input: z.object({ mode: z.enum(['ok', 'wait', 'break', 'large']).default('ok') }),
    limits: { bodyBytes: 0, timeoutMs: 20_000 },
    async handle({ input, signal }) {
      if (input.mode === 'break') return eventStream(breaking())
      if (input.mode === 'wait') {
        signal.addEventListener('abort', () => waiting.aborted(signal.reason))
        waiting.begun()
        await new Promise<void>((resolve) => {
          waiting.release = resolve
          signal.addEventListener('abort', () => resolve())
        })
      }
      return json({ mode: input.mode, ...(input.mode === 'large' && { text: 'x'.repeat(LARGE_BYTES) }) })
    },
  })
  const app = createTestApp([free, give, upload], { gate: trailingGate, logger })
  return {
    app,
    /** When the next call with `mode=wait` runs. */
    running: () =>
      new Promise<void>((resolve) => {
        waiting.begun = resolve
      }),
    /** The reason for which the next call with `mode=wait` is aborted. */
    aborted: () =>
      new Promise<unknown>((resolve) => {
        waiting.aborted = resolve
      }),
    /** Lets the running call with `mode=wait` answer. */
    release: () => waiting.release(),
  }
}

const give = defineEndpoint({
  ...common,
  id: 'give',
  method: 'POST',
  path: '/free',
  pricing: { kind: 'free' },
  summary: 'Takes a body',
  description: 'Takes a body.',
  input: z.object({}),
  limits: { bodyBytes: 1_000, timeoutMs: 20_000 },
  handle: () => json({ is_taken: true }),
})

const upload = defineEndpoint({
  ...common,
  id: 'upload',
  method: 'POST',
  path: '/upload',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Upload',
  description: 'Takes bytes.',
  input: z.object({ text: z.string() }),
  example: { input: { text: '' }, output: {} },
  limits: { bodyBytes: 50_000_000, timeoutMs: 20_000 },
  handle: () => json({}),
})

async function* breaking() {
  yield { bytes: new TextEncoder().encode('data: 1\n\n'), isContent: true }
  throw new Error('words of an upstream')
}

/** The open gate, but metered answers end with a trailer. */
const trailingGate: Gate = {
  async serve(exchange) {
    if (!exchange.request.headers.has('payment-signature')) return openGate.serve(exchange)
    exchange.addTrailer('payment-response', 'settled')
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('data: 1\n\n'))
        controller.close()
      },
    })
    const headers = { 'content-type': 'text/event-stream', trailer: 'payment-response' }
    return { status: 200, headers, body }
  },
}
