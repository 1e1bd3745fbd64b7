import type { Address } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { InvalidAnswer } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { FACILITATOR_LIST, type KnownFacilitator } from '@tollbook/verify/chain/facilitators'
import * as z from 'zod'
import services from './data/facilitator-services.json' with { type: 'json' }

/** A facilitator's service, whose `GET /supported` names its wallets. */
export type FacilitatorService = {
  readonly facilitator: string
  readonly url: string
  /** Where the address of the service is from. */
  readonly source: string
}

/** How a list of facilitators differs from what their services say. */
export type ListDifference = {
  /** Wallets that a service names and the list lacks. */
  readonly added: readonly (FacilitatorService & { readonly address: Address })[]
  /** Listed wallets that no service of their facilitator names; they may have sent earlier payments. */
  readonly unnamed: readonly KnownFacilitator[]
  /** Services that could not be read, each with the reason. */
  readonly failed: readonly (FacilitatorService & { readonly reason: string })[]
  /** Services that were read and name no wallet on Base, as those of protocol version 1. */
  readonly silent: readonly FacilitatorService[]
}

const MAX_BYTES = 1_000_000
const TIMEOUT_MS = 15_000
/** Chains of the wallets in `signers`: every EVM chain, or Base alone. */
const NETWORKS = ['eip155:*', BASE.id]

const supportedSchema = z.object({
  kinds: z.array(z.unknown()),
  signers: z.record(z.string(), z.array(z.string())).optional(),
})

export const FACILITATOR_SERVICES: readonly FacilitatorService[] = services.services.map((service) => ({
  ...service,
  source: FACILITATOR_LIST,
}))

/** Compares the wallets of each service (`signers` of `GET /supported`) with a list, and reports failures. */
export async function compareWithServices(
  known: readonly KnownFacilitator[],
  asked: readonly FacilitatorService[],
  options: {
    readonly fetch: SafeFetch
    readonly signal: AbortSignal
    readonly onProgress?: (done: number, total: number) => void
  },
): Promise<ListDifference> {
  const added = new Map<Address, FacilitatorService & { readonly address: Address }>()
  const failed: ListDifference['failed'][number][] = []
  const silent: FacilitatorService[] = []
  const named = new Map<string, Set<Address>>()
  const listed = new Set(known.map(({ address }) => address))
  let done = 0
  await Promise.all(
    asked.map(async (service) => {
      try {
        const signers = await readSigners(service.url, options)
        if (signers.length === 0) silent.push(service)
        else named.set(service.facilitator, new Set([...(named.get(service.facilitator) ?? []), ...signers]))
        for (const address of signers) if (!listed.has(address)) added.set(address, { ...service, address })
      } catch (error) {
        options.signal.throwIfAborted()
        failed.push({ ...service, reason: error instanceof Error ? error.message : 'unknown' })
      }
      done += 1
      options.onProgress?.(done, asked.length)
    }),
  )
  const byUrl = <T extends FacilitatorService>(list: readonly T[]) =>
    [...list].sort((a, b) => a.url.localeCompare(b.url))
  return {
    added: byUrl([...added.values()]),
    unnamed: known.filter(({ facilitator, address }) => named.get(facilitator)?.has(address) === false),
    failed: byUrl(failed),
    silent: byUrl(silent),
  }
}

async function readSigners(
  url: string,
  { fetch, signal }: { readonly fetch: SafeFetch; readonly signal: AbortSignal },
): Promise<readonly Address[]> {
  const answer = await fetch(`${url.replace(/\/+$/, '')}/supported`, {
    accept: 'application/json',
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    signal,
  })
  if (answer.status !== 200) throw new InvalidAnswer(`the service answered ${answer.status}`)
  const parsed = supportedSchema.safeParse(parseJson(answer.body))
  if (!parsed.success) throw new InvalidAnswer('the service did not return what it supports')
  const { signers = {} } = parsed.data
  const wallets = NETWORKS.flatMap((network) => signers[network] ?? []).map((wallet) => wallet.toLowerCase())
  return [...new Set(wallets)].filter((wallet): wallet is Address => /^0x[0-9a-f]{40}$/.test(wallet))
}
