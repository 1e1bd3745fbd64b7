import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { parseUsd } from '@tollbook/chain/usdc'
import { loadEndpoints } from '@tollbook/endpoints/load'
import type { Receipt } from '@tollbook/gate/gate/receipt'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import type { HealthOptions } from '@tollbook/models/tiers/upstream-health'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { startChatUpstream, type TestUpstream } from '@tollbook/testing/models/chat-upstream'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'

/**
 * Chosen so that each word shows in the charge: micro-USDC per token. 600 * 40 + 400 is below the listing
 * price.
 */
const RATES = { input: '1', cached: '0.5', output: '40' }
export const INPUT_MICRO = 1n
export const OUTPUT_MICRO = 40n
const CAPS = { input_tokens: 400, output_tokens: 600 }
/** Tier 10 of specification 4.5: the plain price. */
export const PLAIN_PRICE = parseUsd('0.011974')
export const MIN_CHARGE = 1_000n
const TIER = 'tier-10'
export const PATHS = {
  exact: `/v1/chat/completions/_t/${TIER}`,
  upto: `/v1/chat/completions/_t/${TIER}/upto`,
} as const
export type Scheme = keyof typeof PATHS
/** An answer that has not arrived by then never will. */
const MAX_MS = 60_000

export type ChatShop = {
  readonly shop: Shop
  readonly upstream: TestUpstream
  newPayer(amount?: bigint): Promise<Customer>
  /** Makes a payer one that has settled many metered calls, so that no content is withheld from it. */
  makeRegular(payer: Customer): Promise<void>
  /** Opens the tier again, without any state about its upstream. */
  restock(upstream?: object): Promise<void>
  sign(payer: Customer, scheme: Scheme): Promise<string>
  ask(
    scheme: Scheme,
    request: { payment: string | undefined; body: object; signal?: AbortSignal },
  ): Promise<Response>
  /** Every row of the ledger, once none is open any more. */
  closedRows(): Promise<readonly LedgerRow[]>
  close(): Promise<void>
}

export type LedgerRow = {
  readonly id: string
  readonly payer: string
  readonly state: Receipt['state']
  readonly charge: number | null
  readonly is_open: number
}

/** Sells tier 10 on the dev chain, at one price and by the token, from an upstream that a test plays. */
export async function openChatShop(health: HealthOptions = {}): Promise<ChatShop> {
  const upstream = await startChatUpstream()
  const open = (more: object) => {
    const upstreams = [{ base_url: upstream.url, model: 'm', ...more }]
    return openTiers(tierFile.parse({ tiers: { [TIER]: { upstreams, upto: { rates: RATES, ...CAPS } } } }), {
      userAgent: 'test',
      health: { probeTimeoutMs: 60_000, ...health },
    })
  }
  const ports = { ...inferencePorts(), tiers: await open({}) }
  const all = await loadEndpoints(new URL('../../apps/inference/src/', import.meta.url))
  const shop = await openShop({
    endpoints: all.filter(({ path }) => path === PATHS.exact || path === PATHS.upto),
    ports,
  })

  async function closedRows(): Promise<readonly LedgerRow[]> {
    const untilMs = performance.now() + MAX_MS
    for (;;) {
      const rows = await shop.seller.state.db
        .selectFrom('paid_call')
        .select(['id', 'payer', 'state', 'charge', 'is_open'])
        .execute()
      if (rows.every((row) => row.is_open === 0 && row.state !== 'reserved')) return rows
      assert.ok(performance.now() < untilMs, `a call stays open: ${JSON.stringify(rows)}`)
      await wait(10)
    }
  }

  return {
    shop,
    upstream,
    closedRows,
    newPayer: async (amount) => {
      const payer = await shop.newPayer(amount)
      await shop.allowPermit2(payer)
      return payer
    },
    makeRegular: async ({ address }) => {
      const values = { payer: address.toLowerCase(), amount: 500_000, changed_at: Date.now() }
      await shop.seller.state.db.insertInto('live_allowance').values(values).execute()
    },
    restock: async (more = {}) => {
      ports.tiers = await open(more)
    },
    sign: (payer, scheme) => shop.sign(payer, PATHS[scheme], { method: 'POST' }),
    ask: (scheme, { payment, body, signal }) =>
      shop.ask(PATHS[scheme], payment, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    close: async () => {
      await shop.close()
      upstream.close()
    },
  }
}
