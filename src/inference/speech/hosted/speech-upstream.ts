import type * as z from 'zod'
import { type Problem, ProblemError } from '../../../catalogue/problem.ts'
import type { FetchedAnswer } from '../../../fetching/fetched-answer.ts'
import {
  askUpstream,
  askUpstreamJson,
  type UpstreamPlace,
  type UpstreamRequest,
} from '../../../upstream/ask-upstream.ts'
import { isWav } from '../../sound/read-wav.ts'
import { recordingKindOf } from '../../sound/recording-kind.ts'
import type { Spoken } from '../../sound/spoken.ts'

/** Where a provider is, without a slash at its end, and the way to it. */
export type SpeechUpstream = UpstreamPlace & {
  /** After which an answer is given up, ms; default 90,000. */
  readonly timeoutMs?: number
}

/** 3,000 characters are some 4 minutes, which a slow machine speaks as fast as a person does not. */
export const SPEECH_TIMEOUT_MS = 90_000
/** 20 minutes at 24,000 samples of 2 bytes a second, in base64. */
const MAX_SOUND_BYTES = 80_000_000
/** Azure lists some 600 voices in 500 kB; ElevenLabs tells up to 10 kB of each. */
const MAX_LIST_BYTES = 20_000_000
const LIST_TIMEOUT_MS = 10_000

type Asked = Pick<UpstreamRequest, 'headers' | 'body' | 'findRefusal'> & { readonly path: string }

/** Asks a provider for a sound. @throws ProblemError as `askUpstream` does */
export function askForSound(
  provider: string,
  { url, fetch, timeoutMs = SPEECH_TIMEOUT_MS }: SpeechUpstream,
  { path, ...asked }: Asked,
  signal: AbortSignal,
): Promise<FetchedAnswer> {
  const name = `speech upstream ${provider}`
  const accept = 'audio/*, application/json;q=0.5'
  return askUpstream(
    fetch,
    { ...asked, method: 'POST', url: `${url}${path}`, accept, maxBytes: MAX_SOUND_BYTES, timeoutMs, name },
    signal,
  )
}

/** Asks a provider for a page of its voices. @throws ProblemError as `askUpstreamJson` does */
export function askForVoices<Answer>(
  provider: string,
  { url, fetch }: SpeechUpstream,
  asked: Omit<Asked, 'body'> & { readonly schema: z.ZodType<Answer> },
  signal: AbortSignal,
): Promise<Answer> {
  const { path, ...rest } = asked
  const told = { expected: 'a list of voices', name: `speech upstream ${provider}` }
  const bounds = { maxBytes: MAX_LIST_BYTES, timeoutMs: LIST_TIMEOUT_MS }
  return askUpstreamJson(fetch, { ...rest, method: 'GET', url: `${url}${path}`, ...told, ...bounds }, signal)
}

type Wanted = { readonly kind: 'mp3' | 'wav' } | { readonly kind: 'pcm'; readonly sampleRate: number }

/**
 * The sound of an answer. An mp3 and a WAV are told by their first bytes, since some servers name any content type,
 * or give a WAV whatever was asked for; raw samples by the content type alone.
 * @throws ProblemError `upstream_failed` where the answer is empty or something else
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
  // An answer that ends with its connection may have been cut anywhere (RFC 9112 section 8).
  const isWhole = httpVersion === '2' || 'content-length' in headers || 'transfer-encoding' in headers
  if (!isWhole) throw fail('a sound of unknown length')
  if (isWav(body)) return { kind: 'wav', bytes: body }
  const isSound =
    wanted.kind === 'mp3'
      ? recordingKindOf(body) === 'mp3'
      : wanted.kind === 'pcm' && RAW_SOUND.test(headers['content-type'] ?? '')
  if (!isSound) throw fail(`something else than ${wanted.kind}`)
  return { ...wanted, bytes: body }
}

/** `audio/pcm`, `audio/basic`, `audio/L16` and the like, or unnamed bytes. */
const RAW_SOUND = /^(audio\/(?!mpeg|mp3|ogg|aac|flac|opus)|application\/octet-stream)/i

/** What callers are told where a provider refuses a text that it was asked to speak. */
export function refusedText(provider: string): Problem {
  return {
    code: 'cannot_be_served',
    detail: `The speech upstream ${provider} does not speak this text with this voice.`,
  }
}

/** What callers are told where a provider takes no more requests for now, and does not say so by 429. */
export function tooManyCalls(provider: string): Problem {
  return {
    code: 'unavailable',
    detail: `The speech upstream ${provider} takes no more requests for now.`,
    retryAfterSeconds: 1,
  }
}

/** Whether an upstream runs on the machine of this service, as far as its address tells. */
export function isOnThisMachine({ url }: UpstreamPlace): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}
