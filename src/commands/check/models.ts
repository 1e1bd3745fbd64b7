import { access, constants } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { headersOfMessages } from '../../models/messages/messages-upstream.ts'
import type { HttpSettings, UpstreamSettings } from '../../models/tiers/tier-file.ts'
import { loadModelsFile } from '../setup/open-models.ts'
import { checkChatModels } from './chat-models.ts'
import type { Finding } from './finding.ts'

const SETTING = 'TOLLBOOK_MODELS_FILE'

/** Checks the upstreams of the tiers that a service sells, without a chat. @throws ConfigError */
export async function checkModels(
  config: Config,
  { name, sells, isSold }: { name: string; sells: string; isSold: (tier: string) => boolean },
): Promise<readonly Finding[]> {
  const file = await loadModelsFile(config)
  const tiers = Object.entries(file?.tiers ?? {}).filter(([tier]) => isSold(tier))
  if (tiers.length === 0) {
    const text = file
      ? `${SETTING} names no upstream for ${sells}; not sold`
      : `no ${SETTING}; ${sells} is not sold`
    return [{ verdict: 'note', name, text }]
  }
  const requested = new Map<string, Promise<Finding>>()
  const findings: Finding[] = []
  for (const [tier, { upstreams }] of tiers) {
    for (const upstream of upstreams) {
      // Tiers often share an upstream, which is queried once.
      const key = JSON.stringify(upstream)
      const asking = requested.get(key) ?? checkUpstream(config, upstream)
      requested.set(key, asking)
      const { verdict, text } = await asking
      findings.push({ verdict, name, text: `${tier}: ${text}` })
    }
  }
  return findings
}

function checkUpstream(config: Config, upstream: UpstreamSettings): Promise<Finding> {
  return upstream.dialect === 'gguf' ? checkFile(upstream.file) : checkServer(config, upstream)
}

function checkServer(config: Config, { base_url, model, key, dialect }: HttpSettings): Promise<Finding> {
  const bearer: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const headers = dialect === 'messages' ? headersOfMessages(key) : bearer
  return checkChatModels(config, {
    name: '',
    url: base_url,
    key,
    model,
    settings: SETTING,
    inFile: { headers },
  })
}

async function checkFile(file: string): Promise<Finding> {
  const isReadable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  )
  return isReadable
    ? { verdict: 'ok', name: '', text: `${file} exists; it is loaded when the service starts` }
    : { verdict: 'failed', name: '', text: `${file} cannot be read; check ${SETTING}` }
}
