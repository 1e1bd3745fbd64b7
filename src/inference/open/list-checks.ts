import { checkTiers } from '../../models/files/check-tiers.ts'
import { MESSAGES_TIER } from '../../models/tiers/tier-table.ts'
import type { Check } from '../../runtime/app.ts'
import { checkChatModels } from '../../runtime/check/check-chat-models.ts'
import type { Config } from '../../runtime/config.ts'
import { checkSpeech, checkTranscription } from './check-speech.ts'

/** The checks of what the inference service is configured with. */
export function listChecks(config: Config): readonly Check[] {
  const chats = {
    name: 'chat',
    sells: '/v1/chat/completions',
    isSold: (tier: string) => tier !== MESSAGES_TIER,
    askServer: (server: Parameters<typeof checkChatModels>[1]) => checkChatModels(config, server),
  }
  return [
    ['chat', () => checkTiers(config, chats)],
    ['speech', () => checkSpeech(config)],
    ['recordings', () => checkTranscription(config)],
  ]
}
