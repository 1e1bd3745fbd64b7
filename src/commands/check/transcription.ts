import type { Config } from '../../config.ts'
import { checkChatModels } from './chat-models.ts'
import type { Finding } from './finding.ts'

/** Checks the upstream that transcribes recordings; without one the program of this machine does. */
export async function checkTranscription(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_TRANSCRIPTION_URL: url } = config
  if (url === undefined) return []
  const upstream = { name: 'recordings', url, key: config.TOLLBOOK_TRANSCRIPTION_KEY }
  const model = config.TOLLBOOK_TRANSCRIPTION_MODEL
  return [await checkChatModels(config, { ...upstream, model, settings: 'TOLLBOOK_TRANSCRIPTION' })]
}
