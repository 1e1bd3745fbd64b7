import { checkTiers } from '../../models/files/check-tiers.ts'
import { MESSAGES_TIER } from '../../models/tiers/tier-table.ts'
import type { Check } from '../../runtime/app.ts'
import { checkChatModels } from '../../runtime/check/check-chat-models.ts'
import type { Finding } from '../../runtime/check/finding.ts'
import type { Config } from '../../runtime/config.ts'
import { canSandbox } from '../../workers/sandbox.ts'
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
