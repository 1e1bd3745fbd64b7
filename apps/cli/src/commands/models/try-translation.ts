import type { InstalledModel } from '@tollbook/models/files/installed-models'
import type { Config } from '@tollbook/runtime/config'
import { toBergamot } from '@tollbook/utility/open/bergamot-models'
import { openBergamot } from '@tollbook/utility/translate/backend/bergamot'
import { hasWords } from '@tollbook/utility/translate/document/segment'
import { throwCause } from './throw-cause.ts'

const SENTENCE = 'The quick brown fox jumps over the lazy dog.'
/** What a translation model is given in its language. */
const SENTENCES: Readonly<Record<string, string>> = {
  de: 'Das Haus ist groß.',
  en: 'The house is big.',
  es: 'La casa es grande.',
  fr: 'La maison est grande.',
}

type Trial = { readonly model: InstalledModel; readonly config: Config }

/** Translates a sentence. @returns a sentence on input and answer. @throws Error; the signal's reason */
export async function tryTranslation(trial: Trial, signal: AbortSignal): Promise<string> {
  const model = toBergamot(trial.model, trial.config)
  const sentence = SENTENCES[model.source] ?? SENTENCE
  const backend = openBergamot([model])
  const [pieces = []] = (await backend?.translate([[sentence]], model, signal).catch(throwCause)) ?? []
  if (!hasWords(pieces)) throw new Error('the model translates to nothing')
  return `it translated "${sentence}" to "${pieces.join('')}"`
}
