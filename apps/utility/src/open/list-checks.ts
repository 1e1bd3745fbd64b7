import { checkTiers } from '@tollbook/models/files/check-tiers'
import { MESSAGES_TIER } from '@tollbook/models/tiers/tier-table'
import type { Check } from '@tollbook/runtime/app'
import { checkChatModels } from '@tollbook/runtime/check/check-chat-models'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import { canSandbox } from '@tollbook/workers/sandbox'
import { checkBrowser } from './check-browser.ts'
import { checkImages } from './check-images.ts'
import { checkSearch } from './check-search.ts'
import { checkTranslation } from './check-translation.ts'

/** The checks of what the utility service is configured with. */
export function listChecks(config: Config): readonly Check[] {
  const messages = {
    name: 'messages',
    sells: '/v1/messages',
    isSold: (tier: string) => tier === MESSAGES_TIER,
    askServer: (server: Parameters<typeof checkChatModels>[1]) => checkChatModels(config, server),
  }
  return [
    ['search', () => checkSearch(config)],
    ['translation', () => checkTranslation(config)],
    ['images', () => checkImages(config)],
    ['browser', () => checkBrowser(config)],
    ['sandbox', checkSandbox],
    ['messages', () => checkTiers(config, messages)],
  ]
}

/** Whether pictures of strangers are decoded in namespaces of their own. */
async function checkSandbox(): Promise<readonly Finding[]> {
  const [verdict, text] = canSandbox()
    ? (['ok', 'pictures are decoded by processes without network and files'] as const)
    : ([
        'note',
        'pictures are decoded by processes that can read files and dial; install bubblewrap, and allow namespaces',
      ] as const)
  return [{ verdict, name: 'sandbox', text }]
}
