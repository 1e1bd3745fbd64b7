import { checkTiers } from '@tollbook/models/files/check-tiers'
import { MESSAGES_TIER } from '@tollbook/models/tiers/tier-table'
import type { Check } from '@tollbook/runtime/app'
import { checkChatModels } from '@tollbook/runtime/check/check-chat-models'
import type { Config } from '@tollbook/runtime/config'
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
