import { createLiveFetch } from '../../fetching/live-fetch.ts'
import { type ChatUpstream, createChatUpstream } from '../chat/chat-upstream.ts'
import type { TierFile, TierSettings, UpstreamSettings } from './tier-file.ts'
import { createTierModel, type TierModel } from './tier-model.ts'
import { createUpstreamHealth, type HealthOptions } from './upstream-health.ts'

/** A tier that the operator has set up. */
export type OpenTier = { readonly model: TierModel; readonly limits: TierSettings['limits'] }
export type OpenTiers = ReadonlyMap<string, OpenTier>

type Options = {
  /** Value of `User-Agent`. */
  readonly userAgent: string
  readonly health?: HealthOptions
  readonly random?: () => number
}

/** Calls of one upstream at a time, in this process; further ones go to the next upstream, or are refused. */
const CALLS_AT_A_TIME = 512

/** Opens the tiers of the operator's file, and probes each upstream once; that takes at most 3 seconds. */
export async function openTiers({ tiers }: TierFile, options: Options): Promise<OpenTiers> {
  const probes: Promise<void>[] = []
  const opened = new Map<string, OpenTier>()
  for (const [name, { strategy, upstreams, limits }] of Object.entries(tiers)) {
    const members = upstreams.map((settings) => {
      const model = openUpstream(settings, options.userAgent)
      const health = createUpstreamHealth(model.isAlive, options.health)
      probes.push(health.probe())
      return { model, health, weight: settings.weight }
    })
    const model = createTierModel({
      ...{ strategy, upstreams: members },
      ...(options.random && { random: options.random }),
    })
    opened.set(name, { model, limits })
  }
  await Promise.all(probes)
  return opened
}

function openUpstream(settings: UpstreamSettings, userAgent: string): ChatUpstream {
  const fetch = createLiveFetch({
    // The operator names the upstream, which may well run beside the service.
    allowPrivateNetwork: true,
    userAgent,
    limits: { connectMs: settings.connect_ms, perHost: CALLS_AT_A_TIME, mostWaiting: 0 },
  })
  return createChatUpstream({
    baseUrl: settings.base_url,
    model: settings.model,
    key: settings.key,
    maxTokensField: settings.max_tokens_field,
    firstTokenMs: settings.first_token_ms,
    idleMs: settings.idle_ms,
    totalMs: settings.total_ms,
    fetch,
  })
}
