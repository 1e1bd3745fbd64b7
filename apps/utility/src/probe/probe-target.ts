import type { TlsFacts } from '@tollbook/safe-fetch/certificate'
import type { FetchedAnswer, FetchStep, RedirectHop } from '@tollbook/safe-fetch/fetched-answer'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { type Down, explainDown } from './explain-down.ts'

/** Result of one probe of a target; of the last request if there were several. */
export type Probe = {
  readonly method: 'HEAD' | 'GET'
  /** Null if no response arrived. */
  readonly answer: Pick<FetchedAnswer, 'url' | 'status' | 'headers' | 'httpVersion'> | null
  readonly down: Down | null
  readonly redirects: readonly RedirectHop[]
  /** The address of the last connection. */
  readonly address: string | null
  /** Durations, ms; null for phases that were not reached, and for TLS without it. */
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly firstByteMs: number | null
  readonly tls: TlsFacts | null
}

export type ProbeOptions = {
  readonly fetch: SafeFetch
  /** For HEAD and GET together. */
  readonly timeoutMs: number
  readonly payer: string
  readonly signal: AbortSignal
}

/** Responses to HEAD of hosts that do not support it, or block it for bots. */
const NEEDS_GET = new Set([400, 403, 405, 501])
const MAX_REDIRECTS = 10
/** A GET with less time than this left would prove nothing about the target. */
const MIN_GET_MS = 1_000

/**
 * Requests the headers of a target, following redirects: by HEAD, and by GET if HEAD is not supported. If the
 * GET fails, the response to HEAD is used.
 * @throws ProblemError, not charged, if the target is not allowed or this service cannot reach it for a local
 * reason.
 */
export async function probeTarget(url: string, options: ProbeOptions): Promise<Probe> {
  const startedMs = performance.now()
  const head = await probeOnce(url, 'HEAD', options)
  const leftMs = Math.floor(options.timeoutMs - (performance.now() - startedMs))
  if (!NEEDS_GET.has(head.answer?.status ?? 0) || leftMs < MIN_GET_MS) return head
  const get = await probeOnce(url, 'GET', { ...options, timeoutMs: leftMs })
  return get.answer ? get : head
}

const NOTHING_REACHED = { address: null, dnsMs: null, connectMs: null, tlsMs: null, tls: null }
type Reached = Pick<Probe, keyof typeof NOTHING_REACHED>

async function probeOnce(url: string, method: 'HEAD' | 'GET', options: ProbeOptions): Promise<Probe> {
  const { fetch, timeoutMs, payer, signal } = options
  let reached: Reached = NOTHING_REACHED
  const redirects: RedirectHop[] = []
  const onStep = (step: FetchStep) => {
    if (step.kind === 'redirected') redirects.push(step.hop)
    reached = advance(reached, step)
  }
  try {
    const answer = await fetch(url, {
      method,
      timeoutMs,
      payer,
      signal,
      onStep,
      maxBytes: 0,
      isBodyRead: false,
      maxRedirects: MAX_REDIRECTS,
      alpn: ['h2', 'http/1.1'],
      certificates: 'report',
    })
    return { method, answer, down: null, redirects, ...reached, firstByteMs: answer.timings.firstByteMs }
  } catch (error) {
    signal.throwIfAborted()
    const down = explainDown(error, 'url')
    return { method, answer: null, down, redirects, ...reached, firstByteMs: null }
  }
}

function advance(reached: Reached, step: FetchStep): Reached {
  switch (step.kind) {
    case 'resolved':
      return { ...NOTHING_REACHED, dnsMs: step.dnsMs }
    case 'connected':
      return { ...reached, address: step.address, connectMs: step.connectMs }
    case 'secured':
      return { ...reached, tlsMs: step.tlsMs, tls: step.tls }
    case 'redirected':
      // The next hop has not begun.
      return NOTHING_REACHED
    default:
      throw new Error('unreachable', { cause: step satisfies never })
  }
}
