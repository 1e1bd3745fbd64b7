import { createSemaphore } from '@tollbook/flow/semaphore'
import { ProblemError } from '@tollbook/http/problem'
import { acquire } from '@tollbook/http/request/acquire'
import { createEngineProcess, EngineFailed } from '@tollbook/workers/engine-process'
import type { Transcriber } from '../transcriber.ts'
import { toWhisperCode, WHISPER_LANGUAGES } from './languages.ts'
import type { WhisperAbout, WhisperOrder, WhisperResult, WhisperSettings } from './orders.ts'
import { toTranscript } from './to-transcript.ts'

export type WhisperOptions = WhisperSettings & {
  /** Max queued recordings; default 8. */
  readonly maxWaiting?: number
}

/** Extra time besides the seconds of the recording: the model may have to be reloaded. */
const MIN_DEADLINE_MS = 60_000
const MAX_DEADLINE_MS = 240_000
const DEADLINE_MS_PER_SECOND = 10_000

/**
 * Whisper with the operator's ggml file, run by whisper.cpp in a separate process: a crash there is one
 * failed transcript. The library neither aborts running work nor reports failed work, so a disconnect or the
 * deadline ends the process.
 * @throws Error for the operator if the file cannot be loaded
 */
export async function openWhisper(options: WhisperOptions): Promise<Transcriber> {
  const { maxWaiting = 8, ...settings } = options
  const engine = createEngineProcess({
    module: new URL('./whisper-engine.ts', import.meta.url),
    settings: settings satisfies WhisperSettings,
    stopMs: 0,
  })
  const semaphore = createSemaphore({
    max: 1,
    maxWaiting,
    message: 'Too many recordings are waiting for the model.',
  })
  // What the process's module exports.
  const { languages } = (await engine.load()) as WhisperAbout
  const isEnglish = languages === 1
  let isDown = false
  const revive = () =>
    engine.load().then(
      () => {
        isDown = false
      },
      () => {},
    )
  return {
    engine: 'whisper',
    languages: WHISPER_LANGUAGES.slice(0, languages).map(([code]) => code),
    isReady() {
      if (isDown) void revive()
      return !isDown
    },
    async transcribe({ recording, language, prompt, temperature, needsWords }, signal) {
      const order: WhisperOrder = {
        pcm: recording.pcm,
        prompt,
        temperature,
        needsWords,
        language: isEnglish ? 'en' : language === null ? 'auto' : toWhisperCode(language),
      }
      const release = await acquire(semaphore, signal)
      const late = AbortSignal.timeout(
        Math.min(MAX_DEADLINE_MS, MIN_DEADLINE_MS + recording.seconds * DEADLINE_MS_PER_SECOND),
      )
      try {
        const heard = await engine.run(order, { signal: AbortSignal.any([signal, late]) })
        return toTranscript(heard as WhisperResult, { seconds: recording.seconds, needsWords })
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted) throw new ProblemError(TOO_LONG, { cause: error })
        if (!(error instanceof EngineFailed)) throw error
        // The file may be missing: nothing is sold until the model is loaded again.
        isDown = true
        throw new ProblemError(FAILED, { cause: error })
      } finally {
        release()
      }
    },
  }
}

const TOO_LONG = {
  code: 'upstream_timeout',
  detail: 'The model took too long for the recording.',
} as const

const FAILED = { code: 'upstream_failed', detail: 'The model failed on the recording.' } as const
