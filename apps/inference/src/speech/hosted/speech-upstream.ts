import { type Problem, ProblemError } from '@tollbook/http/problem'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import {
  askUpstream,
  askUpstreamJson,
  type UpstreamPlace,
  type UpstreamRequest,
} from '@tollbook/upstream/ask-upstream'
import type * as z from 'zod'
import { isWav } from '../../sound/read-wav.ts'
import { recordingKindOf } from '../../sound/recording-kind.ts'
import type { Spoken } from '../../sound/spoken.ts'

/** A provider's URL, without a trailing slash, and the client to reach it. */
export type SpeechUpstream = UpstreamPlace & {
  /** Timeout of an answer in ms; default 90,000. */
  readonly timeoutMs?: number
}

/** 3,000 characters are some 4 minutes of speech, which a slow machine synthesizes in real time or faster. */
export const SPEECH_TIMEOUT_MS = 90_000
/** 20 minutes at 24,000 samples of 2 bytes per second, in base64. */
const MAX_SOUND_BYTES = 80_000_000
/** Azure lists some 600 voices in 500 kB; ElevenLabs returns up to 10 kB for each. */
const MAX_LIST_BYTES = 20_000_000
const LIST_TIMEOUT_MS = 10_000

type Asked = Pick<UpstreamRequest, 'headers' | 'body' | 'findRefusal'> & { readonly path: string }

/** Requests a sound from a provider. @throws ProblemError as `askUpstream` does */
export function askForSound(
  provider: string,
  { url, fetch, timeoutMs = SPEECH_TIMEOUT_MS }: SpeechUpstream,
  { path, ...requested }: Asked,
  signal: AbortSignal,
): Promise<FetchedAnswer> {
  const name = `speech upstream ${provider}`
  const accept = 'audio/*, application/json;q=0.5'
  return askUpstream(
    fetch,
    {
      ...requested,
      method: 'POST',
      url: `${url}${path}`,
      accept,
      maxBytes: MAX_SOUND_BYTES,
      timeoutMs,
      name,
    },
    signal,
  )
}

/** Requests a page of voices from a provider. @throws ProblemError as `askUpstreamJson` does */
export function askForVoices<Answer>(
  provider: string,
  { url, fetch }: SpeechUpstream,
  requested: Omit<Asked, 'body'> & { readonly schema: z.ZodType<Answer> },
  signal: AbortSignal,
): Promise<Answer> {
  const { path, ...rest } = requested
  const reported = { expected: 'a list of voices', name: `speech upstream ${provider}` }
  const bounds = { maxBytes: MAX_LIST_BYTES, timeoutMs: LIST_TIMEOUT_MS }
  return askUpstreamJson(
    fetch,
    { ...rest, method: 'GET', url: `${url}${path}`, ...reported, ...bounds },
    signal,
  )
}

type Wanted = { readonly kind: 'mp3' | 'wav' } | { readonly kind: 'pcm'; readonly sampleRate: number }

/**
 * The sound of an answer. An mp3 and a WAV are detected by their first bytes, because some servers send any
 * content type, or return a WAV for every format; raw samples by the content type alone.
 * @throws ProblemError `upstream_failed` if the answer is empty or something else
 */
export function readSound(
  provider: string,
  { headers, body, httpVersion }: Pick<FetchedAnswer, 'headers' | 'body' | 'httpVersion'>,
  wanted: Wanted,
): Spoken {
  const fail = (what: string) => {
    const detail = `The speech upstream ${provider} answered with ${what}.`
    return new ProblemError({ code: 'upstream_failed', detail })
  }
  if (body.length === 0) throw fail('nothing')
  // An answer that ends with its connection may have been truncated (RFC 9112 section 8).
  const isWhole = httpVersion === '2' || 'content-length' in headers || 'transfer-encoding' in headers
  if (!isWhole) throw fail('a sound of unknown length')
  if (isWav(body)) return { kind: 'wav', bytes: body }
  const isSound =
    wanted.kind === 'mp3'
      ? recordingKindOf(body) === 'mp3'
      : wanted.kind === 'pcm' && RAW_SOUND.test(headers['content-type'] ?? '')
  if (!isSound) throw fail(`something other than ${wanted.kind}`)
  return { ...wanted, bytes: body }
}

/** `audio/pcm`, `audio/basic`, `audio/L16` and the like, or unnamed bytes. */
const RAW_SOUND = /^(audio\/(?!mpeg|mp3|ogg|aac|flac|opus)|application\/octet-stream)/i

/** The problem for a text that a provider refuses to speak. */
export function refusedText(provider: string): Problem {
  return {
    code: 'cannot_be_served',
    detail: `The speech upstream ${provider} does not speak this text with this voice.`,
  }
}

/** The problem for a provider that accepts no more requests for now, but does not report it by 429. */
export function tooManyCalls(provider: string): Problem {
  return {
    code: 'unavailable',
    detail: `The speech upstream ${provider} accepts no more requests at the moment.`,
    retryAfterSeconds: 1,
  }
}

/** Whether an upstream runs on the same machine as this service, judging by its address. */
export function isOnThisMachine({ url }: UpstreamPlace): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}
