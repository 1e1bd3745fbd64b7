import { STATUS_CODES } from 'node:http'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import * as z from 'zod'
import { pageUrl } from '../../../page/read-page.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { roundMs, sumOf } from '../../../probe/durations.ts'
import { DOWN_CODES, explainDown } from '../../../probe/explain-down.ts'

/** Less is too short for a handshake across a continent; more would exceed the handler's other limits. */
const MIN_MS = 100
const MAX_MS = 15_000

const input = z.object({
  url: pageUrl.describe('Public http(s) URL of the target.'),
  method: z.enum(['GET', 'HEAD']).default('GET').describe('The response body is never read.'),
  timeout_ms: z
    .int()
    .min(MIN_MS)
    .max(MAX_MS)
    .default(10_000)
    .describe('Total timeout; at most 3 s for DNS, 5 s each to connect and for TLS.'),
})

const output = z.object({
  url: z.string(),
  up: z.boolean().describe('True for every HTTP status below 500.'),
  status: z.int().nullable(),
  status_text: z.string().nullable().describe('Registered reason phrase of the status.'),
  latency_ms: z.number().nullable().describe('DNS, connecting, TLS and waiting for the response.'),
  redirect_to: z.string().nullable().describe('Where the response redirects to; not followed.'),
  ip: z.string().nullable().describe('Address of the connection.'),
  error: z
    .object({ code: z.enum(DOWN_CODES), message: z.string() })
    .nullable()
    .describe('Why the target counts as down.'),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

export const ping = defineEndpoint({
  id: 'ping',
  method: 'GET',
  path: '/api/ping',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Check whether a URL is up',
  description:
    'One request to a URL: up or down, HTTP status, latency in ms, IP address, and redirect target (not followed). Any status below 500 is up. A target that is down, or whose certificate is not trusted, is a valid answer with the reason.',
  input,
  output,
  example: {
    input: { url: 'https://example.com/' },
    output: {
      url: 'https://example.com/',
      up: true,
      status: 200,
      status_text: 'OK',
      latency_ms: 69.4,
      redirect_to: null,
      ip: '93.184.215.14',
      error: null,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 8192, timeoutMs: MAX_MS + 5_000 },
  async handle({ input: args, ports, payer, signal, now }: Call<Input, UtilityPorts, Address>) {
    const { url, method, timeout_ms: timeoutMs } = args
    const common = { url, ts: now.toISOString() }
    let ip: string | null = null
    let answer: FetchedAnswer
    try {
      answer = await ports.fetch(url, {
        method,
        timeoutMs,
        payer,
        signal,
        maxBytes: 0,
        maxRedirects: 0,
        isBodyRead: false,
        onStep: (step) => {
          if (step.kind === 'connected') ip = step.address
        },
      })
    } catch (error) {
      signal.throwIfAborted()
      const down = explainDown(error, 'url')
      const unanswered = { status: null, status_text: null, latency_ms: null, redirect_to: null }
      return json({ ...common, up: false, ...unanswered, ip, error: down })
    }
    const { status, headers } = answer
    const up = status < 500
    return json({
      ...common,
      up,
      status,
      status_text: STATUS_CODES[status] ?? null,
      latency_ms: roundMs(sumOf(answer.timings)),
      redirect_to: redirectOf(status, headers.location, url),
      ip: answer.address,
      error: up ? null : { code: 'server_error' as const, message: `the target responded with ${status}` },
    })
  },
})

/** Absolute if it can be resolved. */
function redirectOf(status: number, location: string | undefined, url: string): string | null {
  if (location === undefined || status < 300 || status > 399) return null
  return URL.parse(location, url)?.href ?? location
}
