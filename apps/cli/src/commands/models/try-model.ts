import { openGgufEmbeddings } from '@tollbook/models/embeddings/open-embedder'
import {
  embeddingsOfFile,
  type InstalledModel,
  type ModelKind,
  tiersOfFile,
} from '@tollbook/models/files/installed-models'
import { openGguf } from '@tollbook/models/tiers/open-tiers'
import type { Config } from '@tollbook/runtime/config'
import { throwAbsence } from '@tollbook/runtime/process/package-missing'
import { throwCause } from './throw-cause.ts'

const QUESTION = 'What is the capital of France? Answer in one word.'
const MAX_TOKENS = 32
const SENTENCE = 'The quick brown fox jumps over the lazy dog.'

type Trial = { readonly model: InstalledModel; readonly file: string; readonly config: Config }

/**
 * Loads a model as it is sold, and has it work once. @returns a sentence on input and answer.
 * @throws Error if it cannot be loaded or answers nothing; the signal's reason
 */
export type TryModel = (trial: Trial, signal: AbortSignal) => Promise<string>

/** What tries models of a kind. @throws PackageMissing without the app that sells them */
export async function loadTrial(kind: ModelKind): Promise<TryModel> {
  switch (kind) {
    case 'chat':
      return ({ file }, signal) => askOnce(file, signal)
    case 'embeddings':
      return ({ file }, signal) => embedOnce(file, signal)
    case 'transcription':
      return (await import('./try-transcription.ts').catch(throwAbsence)).tryTranscription
    case 'translation':
      return (await import('./try-translation.ts').catch(throwAbsence)).tryTranslation
    default:
      throw new Error('unreachable', { cause: kind satisfies never })
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
