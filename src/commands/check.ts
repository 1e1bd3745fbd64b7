import type { ServiceName } from '../catalogue/service.ts'
import { type Config, ConfigError, loadConfig } from '../config.ts'
import { MESSAGES_TIER } from '../inference/messages/messages-ports.ts'
import { checkBrowser } from './check/browser.ts'
import { checkChain } from './check/chain.ts'
import { checkFacilitator } from './check/facilitator.ts'
import type { Finding } from './check/finding.ts'
import { checkLedger } from './check/ledger.ts'
import { checkModels } from './check/models.ts'
import { checkPictures } from './check/pictures.ts'
import { checkSearch } from './check/search.ts'
import { listSettings, PARTS, type Part } from './check/settings.ts'
import { checkSocial } from './check/social.ts'
import { checkSpeech } from './check/speech.ts'
import { checkState } from './check/state.ts'
import { checkTranscription } from './check/transcription.ts'
import { checkTranslation } from './check/translation.ts'
import { type Command, UsageError } from './command.ts'
import { PAID_SERVICES } from './setup/services.ts'

const MESSAGES = { name: 'messages', sells: '/v1/messages' }
const CHATS = { name: 'chat', sells: '/v1/chat/completions' }

type Check = readonly [name: string, work: () => Promise<readonly Finding[]>]

/** `tollbook check`: checks whether everything that the settings name can be reached. */
export const check: Command = {
  name: 'check',
  summary:
    'Check the settings and the upstreams they name, for all parts or for those that run here; changes nothing.',
  usage: '[index] [report] [social] [utility] [inference]',
  examples: ['check', 'check utility inference'],
  exitCodes: { 1: 'a fault was found' },
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
      ['state', () => checkState(config)],
      ['ledger', () => checkLedger(config)],
      ['facilitator', () => checkFacilitator(config, sold)],
      ...checkUpstreams(config, sold),
    ]
    for (const [name, work] of checks) {
      const found = await runCheck(name, work)
      show(found)
      findings.push(...found)
    }
    return findings.some(({ verdict }) => verdict === 'fault') ? 1 : 0
  },
}

/** The checks of the services for sale here. */
function checkUpstreams(config: Config, sold: readonly ServiceName[]): readonly Check[] {
  const byService: Readonly<Record<(typeof PAID_SERVICES)[number], readonly Check[]>> = {
    social: [['social', () => checkSocial(config)]],
    utility: [
      ['search', () => checkSearch(config)],
      ['translation', () => checkTranslation(config)],
      ['pictures', () => checkPictures(config)],
      ['browser', () => checkBrowser(config)],
      ['messages', () => checkModels(config, { ...MESSAGES, isSold: (tier) => tier === MESSAGES_TIER })],
    ],
    inference: [
      ['chat', () => checkModels(config, { ...CHATS, isSold: (tier) => tier !== MESSAGES_TIER })],
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
    if (error instanceof ConfigError)
      return error.faults.map((text): Finding => ({ verdict: 'fault', name, text }))
    return [{ verdict: 'fault', name, text: error instanceof Error ? error.message : String(error) }]
  }
}

function show(findings: readonly Finding[]): void {
  for (const { verdict, name, text } of findings)
    process.stdout.write(`${verdict.padEnd(6)} ${name.padEnd(12)} ${text}\n`)
}
