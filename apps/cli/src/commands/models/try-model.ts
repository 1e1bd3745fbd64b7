import { ProblemError } from '@tollbook/http/problem'
import { createPrograms } from '@tollbook/inference/engine/run-program'
import { openWhisperFile } from '@tollbook/inference/open/open-audio'
import { decodeRecording } from '@tollbook/inference/sound/decode-recording'
import { createFlite } from '@tollbook/inference/speech/flite'
import { flite } from '@tollbook/inference/voices/flite'
import { openGgufEmbeddings } from '@tollbook/models/embeddings/open-embedder'
import { ModelFailed } from '@tollbook/models/failure'
import { embeddingsOfFile, type InstalledModel, tiersOfFile } from '@tollbook/models/files/installed-models'
import { openGguf } from '@tollbook/models/tiers/open-tiers'
import type { Config } from '@tollbook/runtime/config'
import { toBergamot } from '@tollbook/utility/open/bergamot-models'
import { openBergamot } from '@tollbook/utility/translate/backend/bergamot'
import type { BergamotModel } from '@tollbook/utility/translate/bergamot/orders'
import { hasWords } from '@tollbook/utility/translate/document/segment'

const QUESTION = 'What is the capital of France? Answer in one word.'
const MAX_TOKENS = 32
const SENTENCE = 'The quick brown fox jumps over the lazy dog.'
/** What a translation model is given in its language. */
const SENTENCES: Readonly<Record<string, string>> = {
  de: 'Das Haus ist groß.',
  en: 'The house is big.',
  es: 'La casa es grande.',
  fr: 'La maison est grande.',
}

type Trial = { readonly model: InstalledModel; readonly file: string; readonly config: Config }

/**
 * Loads a model as it is sold, and has it work once. @returns a sentence on input and answer.
 * @throws Error if it cannot be loaded or answers nothing; the signal's reason
 */
export async function tryModel({ model, file, config }: Trial, signal: AbortSignal): Promise<string> {
  switch (model.kind) {
    case 'chat':
      return await askOnce(file, signal)
    case 'embeddings':
      return await embedOnce(file, signal)
    case 'transcription':
      return await hearOnce(file, config, signal)
    case 'translation':
      return await translateOnce(toBergamot(model, config), signal)
    default:
      throw new Error('unreachable', { cause: model.kind satisfies never })
  }
}

async function askOnce(file: string, signal: AbortSignal): Promise<string> {
  const [settings] = tiersOfFile(file).default?.upstreams ?? []
  if (settings?.dialect !== 'gguf') throw new Error('a model file has no default tier')
  const messages = [{ role: 'user', content: QUESTION }]
  const request = { messages, max_tokens: MAX_TOKENS, temperature: 0 }
  const { choices } = await openGguf(settings).complete(request, signal).catch(throwCause)
  const answer = String(choices[0]?.message.content ?? '').trim()
  if (answer === '') throw new Error('the model answers nothing')
  return `asked "${QUESTION}", it answered "${answer}"`
}

async function embedOnce(file: string, signal: AbortSignal): Promise<string> {
  const [settings] = embeddingsOfFile(file).upstreams
  if (settings?.dialect !== 'gguf') throw new Error('a model file has no upstream')
  const { vectors } = await openGgufEmbeddings(settings)
    .complete({ inputs: [SENTENCE] }, signal)
    .catch(throwCause)
  return `of "${SENTENCE}" it made a vector of ${vectors[0]?.length} numbers`
}

async function translateOnce(model: BergamotModel, signal: AbortSignal): Promise<string> {
  const sentence = SENTENCES[model.source] ?? SENTENCE
  const backend = openBergamot([model])
  const [pieces = []] = (await backend?.translate([[sentence]], model, signal).catch(throwCause)) ?? []
  if (!hasWords(pieces)) throw new Error('the model translates to nothing')
  return `it translated "${sentence}" to "${pieces.join('')}"`
}

/** The cause of a failed model has the message of the engine. */
function throwCause(error: unknown): never {
  throw (error instanceof ModelFailed || error instanceof ProblemError) && error.cause instanceof Error
    ? error.cause
    : error
}

async function hearOnce(file: string, config: Config, signal: AbortSignal): Promise<string> {
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
