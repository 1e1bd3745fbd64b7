import { availableParallelism } from 'node:os'
import { acquire } from '../../../catalogue/acquire.ts'
import { createSemaphore } from '../../../flow/semaphore.ts'
import { ProblemError } from '../../../http/problem.ts'
import { readCode } from '../language/language-names.ts'
import { choosePair, type LanguagePair } from '../language/language-pair.ts'
import type { TranslationBackend } from '../translation-backend.ts'
import { fromStream, toStream } from './apertium-stream.ts'
import { NotInstalled, runApertium } from './run-apertium.ts'

/** An installed language pair, by the name of its mode. */
type Mode = LanguagePair & { readonly mode: string }

const MAX_WAITING = 32

/**
 * Translates with the Apertium installed on this machine (https://www.apertium.org/), a rule-based program
 * that needs no network. Null if it, or any language pair for it, is not installed.
 */
export async function openApertium(signal: AbortSignal): Promise<TranslationBackend | null> {
  const modes = await listModes(signal)
  if (modes.length === 0) return null
  const semaphore = createSemaphore({
    max: availableParallelism(),
    maxWaiting: MAX_WAITING,
    message: 'Too many translations are queued.',
  })
  return {
    provider: 'apertium',
    pauseSeconds: () => 0,
    knownPairs: () => modes,
    loadPairs: async () => modes,
    async translate(segments, pair, signal) {
      const mode = choosePair(modes, pair)?.mode ?? ''
      const release = await acquire(semaphore, signal)
      try {
        // -f none: the input already is a stream. -u: no marks at unknown words.
        const flags = ['-f', 'none', '-u', mode]
        const stream = await runApertium(flags, { input: toStream(segments), signal })
        const translated = fromStream(stream, segments)
        if (translated) return translated
        throw new ProblemError({ code: 'upstream_failed', detail: 'Apertium lost part of the text.' })
      } finally {
        release()
      }
    },
  }
}

async function listModes(signal: AbortSignal): Promise<Mode[]> {
  try {
    return parseModes(await runApertium(['-l'], { signal }))
  } catch (error) {
    if (error instanceof NotInstalled) return []
    throw error
  }
}

/** Parses the output of `apertium -l`: `eng-spa`, `spa-eng_US`; other modes do not translate. */
export function parseModes(text: string): Mode[] {
  return text.split('\n').flatMap((line) => {
    const mode = line.trim()
    const [from, to, ...more] = mode.split('-').map(readCode)
    return from && to && more.length === 0 ? [{ mode, source: from, target: to }] : []
  })
}
