import { access, constants } from 'node:fs/promises'
import { headersOfMessages } from '../messages/messages-upstream.ts'
import type { HttpSettings, UpstreamSettings } from '../tiers/tier-file.ts'
import type { ModelSettings } from './installed-models.ts'
import { loadModelsFile } from './open-models.ts'

const SETTING = 'TOLLBOOK_MODELS_FILE'

/** What is found of an upstream. */
type Finding = { readonly verdict: 'ok' | 'note' | 'failed'; readonly name: string; readonly text: string }

/** A server whose list of models is read. */
type Server = {
  readonly name: string
  readonly url: string
  readonly key: string | undefined
  readonly model: string
  /** The setting that names the file with all of these. */
  readonly settings: string
  readonly inFile: { readonly headers: Readonly<Record<string, string>> }
}

type Options = {
  /** Of the findings. */
  readonly name: string
  /** The path that needs the tiers. */
  readonly sells: string
  readonly isSold: (tier: string) => boolean
  readonly askServer: (server: Server) => Promise<Finding>
}

/** Checks the upstreams of the tiers that a service sells, without a chat. @throws ConfigError */
export async function checkTiers(
  config: ModelSettings,
  { name, sells, isSold, askServer }: Options,
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
      const asking = requested.get(key) ?? checkUpstream(upstream, askServer)
      requested.set(key, asking)
      const { verdict, text } = await asking
      findings.push({ verdict, name, text: `${tier}: ${text}` })
    }
  }
  return findings
}

function checkUpstream(upstream: UpstreamSettings, askServer: Options['askServer']): Promise<Finding> {
  return upstream.dialect === 'gguf' ? checkFile(upstream.file) : askServer(toServer(upstream))
}

function toServer({ base_url, model, key, dialect }: HttpSettings): Server {
  const bearer: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const headers = dialect === 'messages' ? headersOfMessages(key) : bearer
  return { name: '', url: base_url, key, model, settings: SETTING, inFile: { headers } }
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
