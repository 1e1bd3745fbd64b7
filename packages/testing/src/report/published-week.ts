import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address } from '@tollbook/chain/hex'
import { createWalletSignatures } from '@tollbook/chain/wallet-signatures'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { listen } from '@tollbook/http/server/serve'
import { renderChallengeText } from '@tollbook/report/claims/challenge-text'
import { createChallenge } from '@tollbook/report/claims/challenges'
import { acceptClaim } from '@tollbook/report/claims/signing/accept-claim'
import { openEvidenceArchive } from '@tollbook/report/evidence/open-evidence-archive'
import { withArchive } from '@tollbook/report/evidence/packed-evidence'
import type { Listing } from '@tollbook/report/listings/listing'
import { replaceListings } from '@tollbook/report/listings/stored-listings'
import { openPipeline } from '@tollbook/report/pipeline'
import { createReportApp } from '@tollbook/report/service'
import type { State } from '@tollbook/report/state/state'
import { toUtcDate } from '@tollbook/verify/build/compose-report'
import { lastWeekEnd } from '@tollbook/verify/build/window'
import { pino } from 'pino'
import { testLedgerUrl } from '../ledger/open-test-ledger.ts'
import { openTestState } from '../state/open-test-state.ts'
import { clientAccount } from './chain-payments.ts'
import { DISCLOSED, FACILITATOR, playPaidWeek, SHOP, SHOP_ACCOUNT } from './paid-week.ts'

/** A report service over a chain with a published week, on a free port. */
export type PublishedWeek = {
  readonly chain: DevChain
  /** By the date of its end. */
  readonly week: string
  /** When the week ended, epoch seconds. */
  readonly end: number
  /** Where the service answers. */
  readonly url: string
  /** A document under a merchant's address, of the published week. */
  read(
    merchant: Address,
    name: '.json' | '/inputs.json' | '/payments.ndjson' | '/claim.json',
  ): Promise<string>
  /** The ranking of the published week. */
  readRanking(by?: 'wallet' | 'group' | 'operator'): Promise<string>
  /** Any document of the service. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** Publishes the newest window from these listings. */
  publishAgain(source: string, listings: readonly Listing[]): Promise<void>
  /** Computes the published week again; returns how many reports changed. */
  correct(): Promise<number>
  close(): Promise<void>
}

const signal = new AbortController().signal
const logger = pino({ level: 'silent' })

/** Public address of the service in its documents; nothing listens there. */
const BASE_URL = 'https://report.example'

export type WeekOptions = {
  /** Plays the payments, and returns when the week ended, epoch seconds. */
  readonly play?: (chain: DevChain) => Promise<number>
  readonly sources?: readonly (readonly [source: string, listings: readonly Listing[]])[]
  /** The highest price in the claim of the shop; default 11 dollars. */
  readonly maxPrice?: bigint
  /** Wallets with which the operator pays its own services, by payee; default none. */
  readonly operatorWallets?: ReadonlyMap<Address, readonly Address[]>
}

/** Plays a paid week, lets the shop claim its report, indexes, publishes and serves. */
export async function publishPaidWeek({
  play = playPaidWeek,
  sources = [['https://source.example', [toListing('/cheap', 4_000n), toListing('/dear', 500_000n)]]],
  maxPrice = 11_000_000n,
  operatorWallets = new Map(),
}: WeekOptions = {}): Promise<PublishedWeek> {
  // On any day of the week, the chain began before the week before.
  const genesisSeconds = lastWeekEnd(Math.floor(Date.now() / 1000)) - 15 * 86_400
  const chain = await startDevChain({ port: 0, clock: 'stopped', genesisSeconds })
  const end = await play(chain)
  const week = toUtcDate(end)
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-week-'))
  const state = await openTestState()
  for (const [source, listings] of sources)
    await replaceListings(state, source, { listings, readAt: new Date() })
  await claim(state, maxPrice)
  const archive = openEvidenceArchive(state, { folder, now: () => new Date() })
  const pipeline = await openPipeline(
    {
      state,
      archive,
      logger,
      ledgerUrl: testLedgerUrl(),
      rpcUrls: [chain.rpcUrl],
      baseUrl: BASE_URL,
      head: 'latest',
      finalHead: 'latest',
      firstBlock: 0,
      pollMs: 100,
      publishSeconds: 1,
      moreFacilitators: [FACILITATOR],
      listingSources: [],
      operatorWallets,
      fetch: () => Promise.reject(new Error('no source is read here')),
      now: () => new Date(),
    },
    signal,
  )
  await pipeline.indexToHead(signal)
  await pipeline.publish(signal)
  const app = createReportApp({
    state,
    logger,
    evidence: withArchive(pipeline.evidence, archive),
    baseUrl: BASE_URL,
    publishSeconds: 1,
    freshMs: 0,
  })
  const listening = await listen({ app, host: '127.0.0.1', port: 0, logger })
  const read = async (path: string, more = '') => {
    const response = await app.request(`${path}?week=${week}${more}`)
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.text()
  }
  return {
    chain,
    week,
    end,
    url: listening.url,
    read: (merchant, name) => read(`/merchants/base/${merchant}${name}`),
    readRanking: (by = 'wallet') => read('/merchants.json', `&by=${by}`),
    request: async (path, init) => app.request(path, init),
    async publishAgain(source, listings) {
      await replaceListings(state, source, { listings, readAt: new Date() })
      await pipeline.publish(signal)
    },
    correct: async () => (await pipeline.publishRevision({ week, reason: 'a test' }, signal)).changed,
    async close() {
      await listening.close()
      await pipeline.close()
      await state.close()
      await chain.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The shop claims its report, and names one more wallet as its own. */
async function claim(state: State, maxPrice: bigint): Promise<void> {
  const wish = {
    address: SHOP,
    action: 'claim',
    statement: 'We sell weather.',
    disclosures: [DISCLOSED],
    maxPrice,
  } as const
  const challenge = await createChallenge(state, wish, new Date())
  const message = renderChallengeText(challenge, BASE_URL)
  const signature = await clientAccount(SHOP_ACCOUNT).signMessage({ message })
  const ports = { state, wallets: createWalletSignatures(), baseUrl: BASE_URL, now: () => new Date() }
  await acceptClaim(ports, { message, signature }, signal)
}

/** An endpoint of the shop. */
export function toListing(path: string, price: bigint, payTo = SHOP): Listing {
  const host = 'weather.example'
  const resource = `https://${host}${path}`
  return {
    resource,
    host,
    payTo,
    price,
    schemes: ['exact'],
    description: 'Weather.',
    operation: 'GET',
    lastSeen: new Date(),
  }
}
