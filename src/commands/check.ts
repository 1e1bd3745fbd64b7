import { existsSync } from 'node:fs'
import { readBlock } from '../chain/blocks.ts'
import { createReadRpc } from '../chain/rpc/read-rpc.ts'
import { ConfigError } from '../flow/config-error.ts'
import { openSpeechProviders } from '../inference/open/open-speech-providers.ts'
import { espeakNg } from '../inference/voices/espeak-ng.ts'
import { flite } from '../inference/voices/flite.ts'
import type { VoiceSource } from '../inference/voices/voice-source.ts'
import { checkTiers } from '../models/files/check-tiers.ts'
import { MESSAGES_TIER } from '../models/tiers/tier-table.ts'
import { checkLedger } from '../report/open/check-ledger.ts'
import { findReadChain, PLAY_MONEY } from '../runtime/chain/chain-setting.ts'
import { checkChatModels } from '../runtime/check/check-chat-models.ts'
import type { Finding } from '../runtime/check/finding.ts'
import { type Config, loadConfig } from '../runtime/config.ts'
import type { PaidService } from '../runtime/places/addresses.ts'
import { PAID_SERVICES } from '../runtime/places/addresses.ts'
import { PARTS, type Part } from '../runtime/places/parts.ts'
import { nameState, stateUrlOf } from '../runtime/places/state-url.ts'
import { withStateUrl } from '../runtime/state/store.ts'
import { checkSocial } from '../social/open/check-social.ts'
import { checkBrowser } from '../utility/open/check-browser.ts'
import { checkImages } from '../utility/open/check-images.ts'
import { checkSearch } from '../utility/open/check-search.ts'
import { checkTranslation } from '../utility/open/check-translation.ts'
import { canSandbox } from '../workers/sandbox.ts'
import { checkFacilitator } from './check/facilitator.ts'
import { checkFolder } from './check/folder.ts'
import { listSettings } from './check/settings.ts'
import { type Command, UsageError } from './command.ts'
import { findFileIssues } from './setup/file-issues.ts'
import { findMissingMigrations } from './state/migrate.ts'
import { openState } from './state/open.ts'

const MESSAGES = { name: 'messages', sells: '/v1/messages' }
const CHATS = { name: 'chat', sells: '/v1/chat/completions' }

type Check = readonly [name: string, work: () => Promise<readonly Finding[]>]

/** A node with an older head is out of sync; Base has a block every two seconds. */
const OLDEST_HEAD_SECONDS = 300

export const check: Command = {
  name: 'check',
  summary:
    'Check the settings and the upstreams they name, for all parts or for those that run here; changes nothing.',
  usage: '[index] [report] [social] [utility] [inference]',
  examples: ['check', 'check utility inference'],
  exitCodes: { 1: 'a check failed' },
  options: {},
  async run({ positionals }) {
    const unknown = positionals.find((word) => !PARTS.some((part) => part === word))
    if (unknown !== undefined) throw new UsageError(`check accepts ${PARTS.join(', ')}, not ${unknown}`)
    const parts: readonly Part[] =
      positionals.length === 0 ? PARTS : PARTS.filter((part) => positionals.includes(part))
    const sold = PAID_SERVICES.filter((name) => parts.includes(name))
    const config = loadConfig()
    show(listSettings(config, parts))
    const findings: Finding[] = []
    const checks: Check[] = [
      ['chain', () => checkChain(config)],
      ['folder', async () => checkFolder(config)],
      ['files', async () => toFindings(await findFileIssues(config, parts))],
      ['state', () => withStateUrl(config, () => checkState(config))],
      ['ledger', () => checkLedger(config)],
      ['facilitator', () => checkFacilitator(config, sold)],
      ...checkUpstreams(config, sold),
    ]
    for (const [name, work] of checks) {
      const shown = new Set(findings.map(({ name, text }) => `${name} ${text}`))
      const found = (await runCheck(name, work)).filter((one) => !shown.has(`${one.name} ${one.text}`))
      show(found)
      findings.push(...found)
    }
    return findings.some(({ verdict }) => verdict === 'failed') ? 1 : 0
  },
}

/** The checks of the services for sale here. */
function checkUpstreams(config: Config, sold: readonly PaidService[]): readonly Check[] {
  const askServer = (server: Parameters<typeof checkChatModels>[1]) => checkChatModels(config, server)
  const byService: Readonly<Record<(typeof PAID_SERVICES)[number], readonly Check[]>> = {
    social: [['social', () => checkSocial(config)]],
    utility: [
      ['search', () => checkSearch(config)],
      ['translation', () => checkTranslation(config)],
      ['images', () => checkImages(config)],
      ['browser', () => checkBrowser(config)],
      ['sandbox', checkSandbox],
      [
        'messages',
        () => checkTiers(config, { ...MESSAGES, askServer, isSold: (tier) => tier === MESSAGES_TIER }),
      ],
    ],
    inference: [
      ['chat', () => checkTiers(config, { ...CHATS, askServer, isSold: (tier) => tier !== MESSAGES_TIER })],
      ['speech', () => checkSpeech(config)],
      ['recordings', () => checkTranscription(config)],
    ],
  }
  return PAID_SERVICES.filter((name) => sold.includes(name)).flatMap((name) => byService[name])
}

async function runCheck(name: string, work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConfigError) return toFindings(error.issues)
    return [{ verdict: 'failed', name, text: error instanceof Error ? error.message : String(error) }]
  }
}

function toFindings(issues: readonly string[]): readonly Finding[] {
  return issues.map((text): Finding => ({ verdict: 'failed', name: 'settings', text }))
}

function show(findings: readonly Finding[]): void {
  for (const { verdict, name, text } of findings)
    process.stdout.write(`${verdict.padEnd(6)} ${name.padEnd(12)} ${text}\n`)
}

async function checkChain(config: Config): Promise<readonly Finding[]> {
  const { isDev, access } = await findReadChain(config)
  const rpc = createReadRpc({ url: access.rpcUrl, attempts: 2 })
  const head = await readBlock(rpc, 'latest', AbortSignal.timeout(30_000))
  const final = await readBlock(rpc, access.finalTag, AbortSignal.timeout(30_000))
  const where = `${isDev ? `the local chain (${PLAY_MONEY})` : 'Base'} at ${new URL(access.rpcUrl).host}`
  if (!head || !final) return [{ verdict: 'failed', name: 'chain', text: `${where} returns no head` }]
  const ageSeconds = Math.round(Date.now() / 1000 - head.timestamp)
  const text = `${where}: head ${head.number}, ${ageSeconds} s old, final ${final.number}`
  const isLate = !isDev && ageSeconds > OLDEST_HEAD_SECONDS
  return [{ verdict: isLate ? 'failed' : 'ok', name: 'chain', text }]
}

async function checkState(config: Config): Promise<readonly Finding[]> {
  const url = stateUrlOf(config)
  const isSqlite = url.startsWith('sqlite:')
  const where = nameState(url)
  if (isSqlite && !existsSync(url.slice('sqlite:'.length)))
    return [
      { verdict: 'note', name: 'state', text: `${where} does not exist yet; the first start creates it` },
    ]
  const state = await openState(url)
  try {
    const missing = await findMissingMigrations(state)
    if (missing.length === 0) return [{ verdict: 'ok', name: 'state', text: `${where}, tables up to date` }]
    const text = `${where}; the next start, or tollbook migrate, applies ${missing.join(', ')}`
    return [{ verdict: 'note', name: 'state', text }]
  } finally {
    await state.close()
  }
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

/** Checks the upstream that transcribes recordings; without one a model of this machine does, if any. */
export async function checkTranscription(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_TRANSCRIPTION_URL: url } = config
  if (url === undefined) return []
  const upstream = { name: 'recordings', url, key: config.TOLLBOOK_TRANSCRIPTION_KEY }
  const model = config.TOLLBOOK_TRANSCRIPTION_MODEL
  return [await checkChatModels(config, { ...upstream, model, settings: 'TOLLBOOK_TRANSCRIPTION' })]
}

const TIMEOUT_MS = 15_000

/** Lists the voices of configured providers, which is free, and of optional programs of this machine. */
export async function checkSpeech(config: Config): Promise<readonly Finding[]> {
  const hosted = openSpeechProviders(config, config.TOLLBOOK_INFERENCE_BASE_URL ?? 'http://127.0.0.1')
  return await Promise.all([
    ...[espeakNg, flite].map((source) => checkSource(source, 'note')),
    ...hosted.map(({ source }) => checkSource(source, 'failed')),
  ])
}

async function checkSource(source: VoiceSource, ifAbsent: Finding['verdict']): Promise<Finding> {
  const name = 'speech'
  const listing = await source.list(AbortSignal.timeout(TIMEOUT_MS))
  if (!listing.isAvailable) return { verdict: ifAbsent, name, text: `${source.id}: ${listing.reason}` }
  const { length } = listing.voices
  const text = `${source.id} lists ${length} voice${length === 1 ? '' : 's'}`
  return { verdict: length === 0 ? ifAbsent : 'ok', name, text }
}
