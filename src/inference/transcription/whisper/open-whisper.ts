import { acquire } from '../../../catalogue/acquire.ts'
import { ProblemError } from '../../../catalogue/problem.ts'
import { createSemaphore } from '../../../flow/semaphore.ts'
import { createEngineProcess, EngineFailed } from '../../../workers/engine-process.ts'
import type { Transcriber } from '../transcriber.ts'
import { toWhisperCode, WHISPER_LANGUAGES } from './languages.ts'
import type { WhisperAbout, WhisperOrder, WhisperResult, WhisperSettings } from './orders.ts'
import { toTranscript } from './to-transcript.ts'

export type WhisperOptions = WhisperSettings & {
  /** Recordings that may wait for their turn; default 8. */
  readonly maxWaiting?: number
  /** For each second of a recording, ms; default 10,000. */
  readonly deadlineMsPerSecond?: number
}

/** Beside the seconds of the recording: the model may have to be loaded anew. */
const MIN_DEADLINE_MS = 60_000
const MAX_DEADLINE_MS = 240_000

/**
 * Whisper with the operator's ggml file, run by whisper.cpp in a process of its own: a crash there is one failed
 * transcript. The library ends no work that has begun and tells none that failed, so whoever leaves, and the deadline,
 * end the process.
 * @throws Error in words for the operator where the file cannot be loaded
 */
export async function openWhisper(options: WhisperOptions): Promise<Transcriber> {
  const { maxWaiting = 8, deadlineMsPerSecond = 10_000, ...settings } = options
  const engine = createEngineProcess({
    module: new URL('./whisper-engine.ts', import.meta.url),
    settings: settings satisfies WhisperSettings,
    stopMs: 0,
  })
  const semaphore = createSemaphore({
    max: 1,
    maxWaiting,
    message: 'Too many recordings wait for the model.',
  })
  // What the module of the process tells.
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
    takesHints: true,
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
        Math.min(MAX_DEADLINE_MS, MIN_DEADLINE_MS + recording.seconds * deadlineMsPerSecond),
      )
      try {
        const heard = await engine.run(order, { signal: AbortSignal.any([signal, late]) })
        return toTranscript(heard as WhisperResult, { seconds: recording.seconds, needsWords })
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted) throw new ProblemError(TOO_LONG, { cause: error })
        if (!(error instanceof EngineFailed)) throw error
        // It may be the file that is gone: nothing is sold until the model is loaded again.
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
