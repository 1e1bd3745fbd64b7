import { type Config, ConfigError } from '../../config.ts'
import { ALL_TIERS } from '../../inference/chat/tier-table.ts'
import { type OpenTiers, openTiers } from '../../models/tiers/open-tiers.ts'
import { loadTierFile } from '../../models/tiers/tier-file.ts'
import { outsideOptions } from './outside.ts'

/**
 * The models that answer chats, by tier; none where no file is set.
 * @throws ConfigError where the file is wrong
 */
export async function openModels(config: Config, baseUrl: string): Promise<OpenTiers> {
  const { TOLLBOOK_MODELS_FILE: path } = config
  if (path === undefined) return new Map()
  const names = ALL_TIERS.map(({ name }) => name)
  const file = await loadTierFile(path, names).catch((error: unknown) => {
    throw new ConfigError([`TOLLBOOK_MODELS_FILE: ${error instanceof Error ? error.message : error}`])
  })
  return openTiers(file, { userAgent: outsideOptions(config, baseUrl).userAgent ?? 'Tollbook' })
}
