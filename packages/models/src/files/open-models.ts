import { ConfigError } from '@tollbook/flow/config-error'
import { type Embedder, openEmbedder } from '../embeddings/open-embedder.ts'
import { meteringOf } from '../tiers/metering.ts'
import { type OpenTier, type OpenTiers, openTiers } from '../tiers/open-tiers.ts'
import { loadTierFile, type TierFile, type TierSettings } from '../tiers/tier-file.ts'
import { ALL_TIERS, MESSAGES_TIER } from '../tiers/tier-table.ts'
import { embeddingsOfFile, findInstalledFile, type ModelSettings, tiersOfFile } from './installed-models.ts'
import { holdModelFile } from './model-locks.ts'

/** https://platform.claude.com/docs/en/cli-sdks-libraries/libraries/openai-sdk */
const INSTEAD =
  'remove it, and set base_url to a server of chat completions (https://api.anthropic.com/v1 is one, too)'

/**
 * The models for chats and messages, by tier. @throws ConfigError if the file is invalid
 * @param isSold selects the tiers that a service sells; the others are validated but not opened; default all
 */
export async function openModels(
  config: ModelSettings,
  userAgent: string,
  isSold: (tier: string, settings: TierSettings) => boolean = () => true,
): Promise<OpenTiers> {
  const file = await loadModelsFile(config)
  if (!file) return new Map()
  const tiers = Object.fromEntries(Object.entries(file.tiers).filter((entry) => isSold(...entry)))
  const upstreams = Object.values(tiers).flatMap((tier) => tier.upstreams)
  const files = new Set(upstreams.flatMap((one) => (one.dialect === 'gguf' ? [one.file] : [])))
  for (const path of files) holdModelFile(path)
  return openTiers({ tiers }, { userAgent })
}

/** The model of /v1/embeddings; null if none is configured. @throws ConfigError if the file is invalid */
export async function openEmbeddings(config: ModelSettings, userAgent: string): Promise<Embedder | null> {
  const { embeddings } = (await loadModelsFile(config)) ?? {}
  if (!embeddings) return null
  for (const one of embeddings.upstreams) if (one.dialect === 'gguf') holdModelFile(one.file)
  return openEmbedder(embeddings, { userAgent })
}

/**
 * The model for questions to pages; null without a tier. @throws ConfigError if the tier has no model
 * @param open tiers of the same service, whose model is then not loaded again
 */
export async function openExtractionTier(
  config: ModelSettings,
  userAgent: string,
  open: OpenTiers = new Map(),
): Promise<OpenTier | null> {
  const { TOLLBOOK_EXTRACTION_TIER: name } = config
  if (name === undefined) return null
  const tier = open.get(name) ?? (await openModels(config, userAgent, (other) => other === name)).get(name)
  if (!tier)
    throw new ConfigError([
      'TOLLBOOK_EXTRACTION_TIER: neither TOLLBOOK_MODELS_FILE nor an installed model has such a tier',
    ])
  if (!tier.model.servesChats)
    throw new ConfigError([
      `TOLLBOOK_EXTRACTION_TIER: the tier ${name} has no upstream of chat completions; add one to it, or name another tier`,
    ])
  return tier
}

/** The operator's models file, completed by installed models; null without either. @throws ConfigError */
export async function loadModelsFile(config: ModelSettings): Promise<TierFile | null> {
  const own = await loadOwnFile(config)
  const [chat, vectors] = await Promise.all([
    findInstalledFile(config, 'chat'),
    findInstalledFile(config, 'embeddings'),
  ])
  if (!chat && !vectors) return own
  return {
    ...(vectors && { embeddings: embeddingsOfFile(vectors) }),
    ...own,
    tiers: { ...(chat && tiersOfFile(chat)), ...own?.tiers },
  }
}

async function loadOwnFile({ TOLLBOOK_MODELS_FILE: path }: ModelSettings): Promise<TierFile | null> {
  if (path === undefined) return null
  const names = [...ALL_TIERS.map(({ name }) => name), MESSAGES_TIER]
  const file = await loadTierFile(path, names).catch((error: unknown) => {
    throw new ConfigError([`TOLLBOOK_MODELS_FILE: ${error instanceof Error ? error.message : error}`])
  })
  const issues = [...findMeteringIssues(file), ...findDialectIssues(file)]
  if (issues.length > 0) throw new ConfigError(issues.map((issue) => `TOLLBOOK_MODELS_FILE: ${issue}`))
  return file
}

/** Chats are not translated to the messages API. */
function findDialectIssues({ tiers }: TierFile): string[] {
  const ofChats = Object.entries(tiers).filter(([name]) => name !== MESSAGES_TIER)
  return ofChats.flatMap(([name, { upstreams }]) =>
    upstreams.flatMap(({ dialect }, at) =>
      dialect === 'messages'
        ? [`tiers.${name}.upstreams.${at}.dialect: messages is allowed only in the tier messages; ${INSTEAD}`]
        : [],
    ),
  )
}

/** Rates that would charge more than callers sign, or that nothing uses. */
function findMeteringIssues({ tiers }: TierFile): string[] {
  const ofMessages = tiers[MESSAGES_TIER]?.upto
    ? [`tiers.${MESSAGES_TIER}.upto: this tier has a fixed price`]
    : []
  const ofTiers = ALL_TIERS.flatMap((tier) => {
    const settings = tiers[tier.name]?.upto
    if (settings && !tier.upto) return [`tiers.${tier.name}.upto: the tier has no metered variant`]
    try {
      meteringOf(tier, settings)
      return []
    } catch (error) {
      return [`tiers.${tier.name}.upto: ${error instanceof Error ? error.message : error}`]
    }
  })
  return [...ofMessages, ...ofTiers]
}
