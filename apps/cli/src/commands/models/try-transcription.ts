import { createPrograms } from '@tollbook/inference/engine/run-program'
import { openWhisperFile } from '@tollbook/inference/open/open-audio'
import { decodeRecording } from '@tollbook/inference/sound/decode-recording'
import { createFlite } from '@tollbook/inference/speech/flite'
import { flite } from '@tollbook/inference/voices/flite'
import type { Config } from '@tollbook/runtime/config'

const SENTENCE = 'The quick brown fox jumps over the lazy dog.'

type Trial = { readonly file: string; readonly config: Config }

/** Transcribes a spoken sentence. @returns a sentence on input and answer. @throws Error; the signal's reason */
export async function tryTranscription({ file, config }: Trial, signal: AbortSignal): Promise<string> {
  const transcriber = await openWhisperFile(config, file)
  const listing = await flite.list(signal)
  const voice = listing.isAvailable ? listing.voices.find(({ name }) => name === 'slt') : undefined
  if (!voice) return 'it was loaded; without a voice to speak to it, it transcribed nothing yet'
  const order = { voice, text: SENTENCE, speed: 1, format: 'wav' as const }
  const recording = decodeRecording(await createFlite(createPrograms()).speak(order, signal))
  if (!('pcm' in recording)) throw new Error('the recording for the trial cannot be decoded')
  const heard = await transcriber.transcribe(
    { recording, language: 'en', prompt: null, temperature: null, needsWords: false },
    signal,
  )
  return `of "${SENTENCE}" it heard "${heard.text.trim()}"`
}
