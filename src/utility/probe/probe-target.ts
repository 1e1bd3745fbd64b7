import type { TlsFacts } from '../../fetching/certificate.ts'
import type { FetchedAnswer, FetchStep, RedirectHop } from '../../fetching/fetched-answer.ts'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import { type Down, explainDown } from './explain-down.ts'

/** What one probe of a target found; of the last request where there were several. */
export type Probe = {
  readonly method: 'HEAD' | 'GET'
  /** null when none came. */
  readonly answer: Pick<FetchedAnswer, 'url' | 'status' | 'headers' | 'httpVersion'> | null
  readonly down: Down | null
  readonly redirects: readonly RedirectHop[]
  /** The address that was connected to last. */
  readonly address: string | null
  /** Durations, ms; null for what was not reached, and for TLS without it. */
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

/** Answers to a HEAD of hosts that do not know it, or keep it from machines. */
const NEEDS_GET = new Set([400, 403, 405, 501])
const MAX_REDIRECTS = 10
/** A GET with less time than this left would say nothing about the target. */
const MIN_GET_MS = 1_000

/**
 * Asks a target for its headers, following redirects: by HEAD, and by GET where that is not taken. When nothing
 * answers the GET, the answer to HEAD stands.
 * @throws ProblemError, not charged, when the target may not be reached or this service cannot reach it.
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
