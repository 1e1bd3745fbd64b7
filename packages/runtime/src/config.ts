import { BASE } from '@tollbook/chain/network'
import { payeeAddress, walletAddress } from '@tollbook/chain/wallet-address'
import { nearestName } from '@tollbook/endpoints/arguments/nearest-name'
import { ConfigError } from '@tollbook/flow/config-error'
import * as z from 'zod'
import {
  addressBlocks,
  browser,
  contact,
  dailyObjects,
  imageSizes,
  key,
  keyOrAddress,
  list,
  network,
  port,
  secret,
  serverAddresses,
  signature,
  socialProviders,
  upstream,
  url,
  urls,
  voiceNames,
} from './settings/forms.ts'
import { REMOVED_SETTINGS } from './settings/removed-settings.ts'
import { readSecretFiles } from './settings/secret-files.ts'
import {
  NO_SETTINGS,
  readServiceSetting,
  type ServiceSettings,
  serviceSetting,
  serviceShape,
  toServices,
} from './settings/service-settings.ts'

/** Every setting but those of services, its form and its default; docs/settings.md describes each (test/docs.test.ts holds both together). */
export const SETTINGS = {
  TOLLBOOK_HOST: z.string().min(1).default('127.0.0.1'),
  TOLLBOOK_DATA_DIR: z.string().min(1).default('./data'),
  TOLLBOOK_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  TOLLBOOK_OTLP_URL: upstream.optional(),
  TOLLBOOK_TRACE_PERCENT: z.coerce.number().min(0).max(100).default(100),
  TOLLBOOK_PROCESSES: z.coerce.number().int().min(1).max(64).default(1),
  TOLLBOOK_REPORT_PORT: port(4020),
  TOLLBOOK_FACILITATOR_PORT: port(4025),
  TOLLBOOK_DEVCHAIN_PORT: port(8545),
  TOLLBOOK_REPORT_BASE_URL: url.optional(),
  TOLLBOOK_FACILITATOR_BASE_URL: url.optional(),
  TOLLBOOK_CONTACT: contact.optional(),
  TOLLBOOK_ICON_URL: url.pipe(z.string().max(200)).optional(),
  TOLLBOOK_OWNERSHIP_PROOFS: list.pipe(z.array(signature)).default([]),
  TOLLBOOK_OWNERSHIP_KEY: key.optional(),
  TOLLBOOK_CATALOGUE_KEY: secret.optional(),
  // A function, since Zod copies a default value, and networks are compared by identity.
  TOLLBOOK_NETWORK: network.default(() => BASE),
  TOLLBOOK_CHAIN_RPC_URL: list.pipe(z.array(url).min(1)).optional(),
  TOLLBOOK_CHAIN_CROSS_CHECK: z.enum(['on', 'off']).default('off'),
  TOLLBOOK_HYPERSYNC_URL: url.optional(),
  TOLLBOOK_HYPERSYNC_TOKEN: secret.optional(),
  TOLLBOOK_SQD_URL: url.optional(),
  TOLLBOOK_SQD_TOKEN: secret.optional(),
  TOLLBOOK_FACILITATORS_FILE: z.string().min(1).optional(),
  TOLLBOOK_FACILITATOR_URL: url.optional(),
  TOLLBOOK_FACILITATOR_KEY: keyOrAddress.optional(),
  TOLLBOOK_SIGNER_URL: url.optional(),
  TOLLBOOK_KEYSTORE_SECRET: z.string().min(1).max(1_000).optional(),
  TOLLBOOK_FACILITATOR_MORE_KEYS: list.pipe(z.array(keyOrAddress)).default([]),
  TOLLBOOK_FACILITATOR_API_KEYS: list
    .pipe(z.array(z.string().min(16, 'must have at least 16 characters')))
    .default([]),
  TOLLBOOK_FACILITATOR_PAYEES: list.pipe(z.array(payeeAddress)).default([]),
  TOLLBOOK_FACILITATOR_REFUSED: list.pipe(z.array(walletAddress)).default([]),
  TOLLBOOK_FACILITATOR_GAS_PER_PAYEE: z.coerce.number().int().min(0).default(100_000_000),
  TOLLBOOK_SIGNED_OFFERS: z.enum(['eip712', 'off']).default('eip712'),
  TOLLBOOK_OFFER_KEY: key.optional(),
  TOLLBOOK_OPERATOR_KEY: secret.min(16, 'must have at least 16 characters').optional(),
  TOLLBOOK_CALL_KEY: key.optional(),
  TOLLBOOK_OWN_WALLETS: list.pipe(z.array(walletAddress)).default([]),
  TOLLBOOK_STATE_URL: z
    .string()
    .regex(/^(sqlite:|postgres(ql)?:\/\/)/, 'must begin with sqlite: or postgres://')
    .optional(),
  TOLLBOOK_LEDGER_URL: z
    .string()
    .regex(/^(duckdb:|https?:\/\/)/, 'must begin with duckdb: (not chdb:, which 1.0.0 used) or http(s)://')
    .optional(),
  TOLLBOOK_DISCOVERY_URLS: urls.default([]),
  TOLLBOOK_CHECK_ENDPOINTS: z.enum(['on', 'off']).default('on'),
  TOLLBOOK_DNS_SERVERS: serverAddresses.default(['1.1.1.1', '9.9.9.9']),
  TOLLBOOK_DNS_COMPARED_SERVERS: serverAddresses.default(['1.1.1.1', '8.8.8.8', '9.9.9.9', '208.67.222.222']),
  TOLLBOOK_SEARXNG_URL: upstream.optional(),
  TOLLBOOK_MEDIAWIKI_URL: z.union([z.literal('off'), upstream]).default('https://en.wikipedia.org/w/api.php'),
  TOLLBOOK_SEARCH_URL: upstream.optional(),
  TOLLBOOK_SEARCH_KEY: secret.optional(),
  TOLLBOOK_TRANSLATE_ORDER: list
    .pipe(z.array(z.enum(['llm', 'libretranslate', 'bergamot'])).min(1))
    .default(['llm', 'libretranslate', 'bergamot']),
  TOLLBOOK_LIBRETRANSLATE_URL: upstream.optional(),
  TOLLBOOK_LIBRETRANSLATE_KEY: secret.optional(),
  TOLLBOOK_TRANSLATE_LLM_URL: upstream.optional(),
  TOLLBOOK_TRANSLATE_LLM_MODEL: z.string().min(1).max(200).optional(),
  TOLLBOOK_TRANSLATE_LLM_KEY: secret.optional(),
  TOLLBOOK_IMAGE_URL: upstream.optional(),
  TOLLBOOK_IMAGE_KEY: secret.optional(),
  TOLLBOOK_IMAGE_MODEL: z.string().min(1).max(200).optional(),
  TOLLBOOK_IMAGE_SIZES: imageSizes.optional(),
  TOLLBOOK_SOCIAL_PROVIDERS: socialProviders.default(['store']),
  TOLLBOOK_SOCIAL_KEEP_SECONDS: z.coerce.number().int().min(0).max(31_536_000).default(86_400),
  TOLLBOOK_SOCIAL_PAGE_SECONDS: z.coerce.number().int().min(0).max(86_400).default(300),
  TOLLBOOK_SOCIAL_BUDGET: dailyObjects.default({}),
  TOLLBOOK_X_URL: upstream.default('https://api.x.com'),
  TOLLBOOK_X_TOKEN: secret.optional(),
  TOLLBOOK_X_USER_TOKEN: secret.optional(),
  TOLLBOOK_X_DIALECT: z.enum(['auto', 'tweet', 'post']).default('auto'),
  TOLLBOOK_X_SEARCH: z.enum(['recent', 'all']).default('recent'),
  TOLLBOOK_TRANSCRIPTION_URL: upstream.optional(),
  TOLLBOOK_TRANSCRIPTION_KEY: secret.optional(),
  TOLLBOOK_TRANSCRIPTION_MODEL: z.string().min(1).max(200).optional(),
  TOLLBOOK_WHISPER_FILE: z.string().min(1).optional(),
  TOLLBOOK_WHISPER_THREADS: z.coerce.number().int().min(0).max(512).default(0),
  TOLLBOOK_WHISPER_VARIANT: z.enum(['default', 'cuda', 'vulkan']).default('default'),
  TOLLBOOK_VOICE_NAMES: voiceNames.default([]),
  TOLLBOOK_AZURE_SPEECH_URL: upstream.optional(),
  TOLLBOOK_AZURE_SPEECH_KEY: secret.optional(),
  TOLLBOOK_GOOGLE_SPEECH_URL: upstream.default('https://texttospeech.googleapis.com'),
  TOLLBOOK_GOOGLE_SPEECH_KEY: secret.optional(),
  TOLLBOOK_POLLY_REGION: z
    .string()
    .regex(/^[a-z]+(-[a-z0-9]+)+$/, 'must be a region such as eu-west-1')
    .optional(),
  TOLLBOOK_POLLY_URL: upstream.optional(),
  TOLLBOOK_POLLY_ACCESS_KEY: secret.optional(),
  TOLLBOOK_POLLY_SECRET_KEY: secret.optional(),
  TOLLBOOK_POLLY_SESSION_TOKEN: secret.optional(),
  TOLLBOOK_ELEVENLABS_URL: upstream.default('https://api.elevenlabs.io'),
  TOLLBOOK_ELEVENLABS_KEY: secret.optional(),
  TOLLBOOK_ELEVENLABS_MODEL: z.string().min(1).max(200).default('eleven_multilingual_v2'),
  TOLLBOOK_OPENAI_SPEECH_URL: upstream.optional(),
  TOLLBOOK_OPENAI_SPEECH_KEY: secret.optional(),
  TOLLBOOK_OPENAI_SPEECH_MODEL: z.string().min(1).max(200).default('gpt-4o-mini-tts'),
  TOLLBOOK_OPENAI_SPEECH_VOICES: list.pipe(z.array(z.string()).min(1)).optional(),
  TOLLBOOK_KOKORO_URL: upstream.optional(),
  TOLLBOOK_KOKORO_KEY: secret.optional(),
  TOLLBOOK_PIPER_URL: upstream.optional(),
  TOLLBOOK_BLUESKY_URL: upstream.default('https://public.api.bsky.app'),
  TOLLBOOK_PLC_URL: upstream.default('https://plc.directory'),
  TOLLBOOK_BROWSER: z.enum(['auto', 'off']).default('auto'),
  TOLLBOOK_BROWSER_WS: browser.optional(),
  TOLLBOOK_MODELS_FILE: z.string().min(1).optional(),
  TOLLBOOK_LOCAL_SERVERS: z.enum(['offer', 'ignore']).default('offer'),
  TOLLBOOK_GEO_FILES: list.default([]),
  TOLLBOOK_GEO_ATTRIBUTION: z.string().max(500).optional(),
  TOLLBOOK_EXTRACTION_TIER: z.string().min(1).max(200).optional(),
  TOLLBOOK_INDEX_SCRAPED: z.enum(['on', 'off']).default('off'),
  TOLLBOOK_PRIVATE_NETWORK: z.enum(['refuse', 'allow']).default('refuse'),
  TOLLBOOK_LEDGER_WEEKS: z.coerce.number().int().min(2).max(5_000).optional(),
  TOLLBOOK_INDEXER_PORT: port(4024),
  TOLLBOOK_INDEXER_URL: url.optional(),
  TOLLBOOK_LABELS_FILE: z.string().min(1).optional(),
  TOLLBOOK_PUBLISH_SECONDS: z.coerce.number().int().min(1).max(86_400).optional(),
  TOLLBOOK_SESSION_KEY: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
    .optional(),
  TOLLBOOK_X_OAUTH_CLIENT_ID: z.string().min(1).optional(),
  TOLLBOOK_X_OAUTH_CLIENT_SECRET: z.string().min(1).optional(),
  TOLLBOOK_X_OAUTH_AUTHORIZE_URL: upstream.default('https://x.com/i/oauth2/authorize'),
  TOLLBOOK_X_OAUTH_ISSUER: z.string().min(1).optional(),
  TOLLBOOK_X_OAUTH_TOKEN_URL: upstream.optional(),
  TOLLBOOK_X_OAUTH_REDIRECT_URL: upstream.optional(),
  TOLLBOOK_ETH_USD: z.coerce.number().int().min(0).max(1_000_000).optional(),
  TOLLBOOK_MAX_GAS_PERCENT: z.coerce.number().int().min(1).max(1_000_000).default(200),
  TOLLBOOK_REVERT_BAR_DAYS: z.coerce.number().int().min(0).max(365).default(30),
  TOLLBOOK_CHANNEL_CLAIM_USD: z.coerce.number().min(0.000_001).max(1_000_000).default(1),
  TOLLBOOK_CHANNEL_CLAIM_SECONDS: z.coerce.number().int().min(1).max(86_400).default(300),
  TOLLBOOK_CHANNEL_QUIET_SECONDS: z.coerce.number().int().min(1).max(86_400).default(30),
  TOLLBOOK_CHANNEL_WITHDRAW_SECONDS: z.coerce.number().int().min(900).max(2_592_000).default(86_400),
  TOLLBOOK_TRUSTED_PROXIES: addressBlocks.default([]),
  TOLLBOOK_UNPAID_PER_MINUTE: z.coerce.number().int().min(1).default(600),
} as const satisfies Record<`TOLLBOOK_${string}`, z.ZodType>

type Shape = { -readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] }
export type Config = Readonly<z.output<z.ZodObject<Shape>>> & {
  /** The settings of services that are sold (`TOLLBOOK_<NAME>_PORT`, …), by name. */
  readonly services: ReadonlyMap<string, ServiceSettings>
}

/** A service by its name, and the port where it listens unless a setting says otherwise. */
export type NamedService = { readonly name: string; readonly port: number }

/** The environment of this process with other settings, for a process that it starts. */
export function environmentWith(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...settings }
}

/** Sets a setting as an option of the command does, for this process and for those that it starts. */
export function overrideSetting(name: string, value: string): void {
  process.env[name] = value
}

/**
 * Reads the settings, secrets also from files; an empty value counts as absent.
 * @throws ConfigError that names every wrong or unknown `TOLLBOOK_` setting, never its value.
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const set = Object.fromEntries(
    // TOLLBOOK_TEST_ names speak to the tests, which start the product with their own environment.
    Object.entries(environment).filter(([name, value]) => /^TOLLBOOK_(?!TEST_)/.test(name) && value !== ''),
  )
  const { values: provided, issues: fileIssues } = readSecretFiles(set, Object.keys(SETTINGS))
  const unknown = Object.keys(provided).filter((name) => !isSetting(name))
  const parsed = z.object(SETTINGS).safeParse(provided, { error: sayIssue })
  const services = z.object(serviceShape(Object.keys(provided))).safeParse(provided, { error: sayIssue })
  const issues = [
    ...fileIssues,
    ...unknown.map(describeUnknown),
    ...[parsed, services].flatMap(({ error }) => error?.issues ?? []).map(describeIssue),
  ]
  const isX = parsed.data?.TOLLBOOK_SOCIAL_PROVIDERS.includes('x')
  if (isX && parsed.data?.TOLLBOOK_X_TOKEN === undefined)
    issues.push('TOLLBOOK_X_TOKEN: is needed, since TOLLBOOK_SOCIAL_PROVIDERS names x')
  if (!parsed.success || !services.success || issues.length > 0) throw new ConfigError(issues)
  return Object.freeze({ ...parsed.data, services: toServices(services.data) })
}

/**
 * The settings with those of services that this process serves, or that it knows.
 * @throws ConfigError for settings of another service whose name looks like a misspelled one of these
 */
export function withServices(config: Config, services: readonly NamedService[]): Config {
  const known = new Map(services.map((service) => [service.name, service]))
  const issues = [...config.services.keys()].flatMap((name) => {
    const nearest = known.has(name) ? null : nearestName(name, known.keys())
    // A part of a name, such as `utility` of `my-utility`, is no mistake.
    if (nearest === null || name.split('-').includes(nearest)) return []
    const suffixes = config.services.get(name)?.set ?? []
    return suffixes.map(
      (suffix) =>
        `${serviceSetting(name, suffix)}: no such setting; did you mean ${serviceSetting(nearest, suffix)}?`,
    )
  })
  if (issues.length > 0) throw new ConfigError(issues)
  const own = services.map(({ name, port }): readonly [string, ServiceSettings] => {
    const set = config.services.get(name) ?? NO_SETTINGS
    return [name, { ...set, port: set.port ?? port }]
  })
  const others = [...config.services].filter(([name]) => !known.has(name))
  return Object.freeze({ ...config, services: new Map([...own, ...others]) })
}

/** Whether there is a setting of this name, for a part of the product or for a service. */
export function isSetting(name: string): boolean {
  return Object.hasOwn(SETTINGS, name) || readServiceSetting(name) !== null
}

function describeUnknown(name: string): string {
  const instead = REMOVED_SETTINGS[name]
  if (instead !== undefined) return `${name}: was removed; ${instead}`
  const nearest = nearestName(name, Object.keys(SETTINGS))
  return `${name}: no such setting; ${nearest ? `did you mean ${nearest}?` : 'docs/settings.md lists all'}`
}

/** An entry of a list is numbered as a person counts. */
function describeIssue({ path: [name, entry], message }: z.core.$ZodIssue): string {
  return `${String(name)}: ${message}${typeof entry === 'number' ? ` (entry ${entry + 1})` : ''}`
}

/** The message of an issue in plain words, without the value; for settings that have no message of their own. */
function sayIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type')
    return `must be a ${issue.expected === 'int' ? 'whole number' : issue.expected}`
  if (issue.code === 'invalid_format' && issue.format === 'url') return 'must be a URL'
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  return issue.code === 'invalid_value' ? `must be one of ${issue.values.map(String).join(', ')}` : undefined
}
