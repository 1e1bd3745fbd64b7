import { readBlock } from '@tollbook/chain/blocks'
import type { Address } from '@tollbook/chain/hex'
import { RetryableError } from '@tollbook/flow/failure'
import type { Window } from '@tollbook/verify/build/window'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import type { Direction } from '@tollbook/verify/chain/transfers'
import {
  type FollowedWallets,
  type IndirectPayment,
  isFollowedPayment,
} from '@tollbook/verify/screen/flow/direct-moves'
import { findWays, MAX_RELAYS } from '@tollbook/verify/screen/flow/find-ways'
import { type Followed, judgeFlow, type MerchantFlow } from '@tollbook/verify/screen/flow/judge-flow'
import {
  type MoneyEdge,
  readBuyersOfSenders,
  readEdges,
  readIndirectPayments,
  readMoves,
} from '../build/money-moves.ts'
import type { Method } from '../build/visible-payments.ts'
import { findHubs } from '../chain/find-hubs.ts'
import type { Coverage } from '../ledger/coverage/coverage.ts'
import { readSpans, readTransferAttempts } from '../ledger/coverage/transfer-coverage.ts'
import { isKnown } from '../ledger/coverage/transfer-plan.ts'
import { type Sweep, sweepTransfers } from '../ledger/coverage/transfer-sweep.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Frontier, selectNext, selectWallets } from './select-wallets.ts'

/**
 * Maximum time that one publication follows money. Chosen: a publication must not be late by more;
 * the next ones read what is still missing.
 */
const BUDGET_MS = 60_000
/**
 * Buyers whose funding is looked at, those that paid most to merchants that send money out. Chosen: each
 * has transfers of its own to read, within the time above.
 */
const MAX_BUYERS = 10_000
/** Wallets are looked at three steps from merchants and three steps from buyers: six relays between them. */
const LEVELS = MAX_RELAYS / 2

export type FlowWindow = {
  readonly window: Window
  readonly blocks: BlockRange
  readonly coverage: Coverage
  readonly method: Method
  /** Wallets of exchanges and bridges on the label list. */
  readonly labelled: ReadonlySet<Address>
  /** Absent: one minute. */
  readonly budgetMs?: number | undefined
}

export type PreparedFlows = {
  /** Only merchants with a way from them to a buyer. */
  readonly flows: ReadonlyMap<Address, MerchantFlow>
  readonly followed: ReadonlyMap<Address, Followed>
  /** Whether every transfer was read that following the money needs. */
  readonly isRead: boolean
}

type Following = FlowWindow & Omit<Sweep, 'direction'> & { readonly endMs: number }

/**
 * Follows the money of merchants back to their buyers: reads transfers into buyers, then of the wallets
 * between, as far as the time budget allows. Those out of merchants must have been read.
 * @throws RetryableError when the chain moved meanwhile, or the node could not be reached.
 */
export async function prepareFlows(
  preparing: Omit<Sweep, 'direction'>,
  flowWindow: FlowWindow,
  signal: AbortSignal,
): Promise<PreparedFlows> {
  const endMs = performance.now() + (flowWindow.budgetMs ?? BUDGET_MS)
  const following = { ...preparing, ...flowWindow, endMs }
  const buyers = await readBuyers(following, signal)
  const allBuyers = [...new Set([...buyers.values()].flatMap((own) => [...own]))]
  if (allBuyers.length === 0) return { flows: new Map(), followed: new Map(), isRead: true }
  await sweep(following, { direction: 'in', wallets: allBuyers }, signal)

  const hubs = new Set(flowWindow.labelled)
  const merchants = new Map([...buyers.keys()].map((merchant) => [merchant, merchant]))
  const merchantOf = new Map(
    [...buyers].flatMap(([merchant, own]) => [...own].map((buyer) => [buyer, merchant])),
  )
  const outward = await expand(following, { starts: merchants, hubs, direction: 'out' }, signal)
  const inward = await expand(following, { starts: merchantOf, hubs, direction: 'in' }, signal)

  const wallets = selectWallets(await findWallets(following, { buyers, hubs }, signal))
  const between = [...new Set([...wallets.values()].flat())]
  for (const direction of ['out', 'in'] as const)
    await sweep(following, { direction, wallets: between }, signal)
  const isRead =
    (await isComplete(following, 'in', [...allBuyers, ...inward, ...between])) &&
    (await isComplete(following, 'out', [...outward, ...between]))
  return { ...(await judgeAll(following, { wallets, hubs }, signal)), isRead }
}

export type MerchantTrail = {
  readonly merchant: Address
  readonly disclosed: ReadonlySet<Address>
  readonly followed: Followed
  readonly window: Pick<Window, 'start' | 'end'>
  readonly coverage: Coverage
  readonly method: Method
  readonly attempts: readonly number[]
}

/** Follows the money of one merchant by transfers that are in the ledger. */
export async function readMerchantFlow(
  ledger: Ledger,
  trail: MerchantTrail,
  signal: AbortSignal,
): Promise<{ readonly flow: MerchantFlow; readonly followed: Followed }> {
  const own = toFollowedWallets(trail)
  const payments = await readIndirectPayments(ledger, trail, [own], signal)
  return judgeMerchant(ledger, { trail, own, payments }, signal)
}

type OneMerchant = {
  readonly trail: MerchantTrail
  readonly own: FollowedWallets
  /** Those that are followed, and perhaps others of its wallets. */
  readonly payments: readonly IndirectPayment[]
}

async function judgeMerchant(
  ledger: Ledger,
  { trail, own, payments: all }: OneMerchant,
  signal: AbortSignal,
): Promise<{ readonly flow: MerchantFlow; readonly followed: Followed }> {
  const { merchant, window, attempts } = trail
  const { wallets } = trail.followed
  const { origins } = own
  const moves = await readMoves(ledger, { window, attempts, origins, wallets }, signal)
  const hubs = new Set(trail.followed.hubs)
  const met = new Set(moves.flatMap(({ sender, recipient }) => [sender, recipient]))
  const payments = all.filter((payment) => isFollowedPayment(payment, own))
  const indirect = { payments, custodians: BASE_CONTRACTS.custodians }
  return {
    flow: judgeFlow(merchant, { origins, moves, hubs }, indirect),
    followed: { wallets, hubs: trail.followed.hubs.filter((hub) => met.has(hub)) },
  }
}

function toFollowedWallets({ merchant, disclosed, followed }: MerchantTrail): FollowedWallets {
  return { merchant, origins: new Set([merchant, ...disclosed]), wallets: new Set(followed.wallets) }
}

/** The attempts that hold transfers of a block range in either direction. */
export async function readAllTransferAttempts(
  of: Pick<Sweep, 'state' | 'chain'>,
  range: BlockRange,
): Promise<readonly number[]> {
  const out = await readTransferAttempts({ ...of, direction: 'out' }, range)
  return [...out, ...(await readTransferAttempts({ ...of, direction: 'in' }, range))]
}

async function readBuyers(following: Following, signal: AbortSignal) {
  const { ledger, window, coverage, method, blocks } = following
  const outflowAttempts = await readTransferAttempts({ ...following, direction: 'out' }, blocks)
  const selection = { window, coverage, method, outflowAttempts, max: MAX_BUYERS }
  return readBuyersOfSenders(ledger, { ...selection, isSameTransaction: false }, signal)
}

async function sweep(
  following: Following,
  { direction, wallets }: { readonly direction: Direction; readonly wallets: readonly Address[] },
  signal: AbortSignal,
): Promise<void> {
  if (wallets.length === 0) return
  const budgetMs = Math.max(0, following.endMs - performance.now())
  await sweepTransfers({ ...following, direction }, { ...following.blocks, wallets, budgetMs }, signal)
}

async function isComplete(following: Following, direction: Direction, wallets: readonly Address[]) {
  const spans = await readSpans({ ...following, direction })
  return wallets.every((wallet) => isKnown(spans.get(wallet), following.blocks))
}

/** Reads the transfers out of recipients of merchants, of their recipients, and so on; or into funders of buyers. */
async function expand(
  following: Following,
  {
    starts,
    hubs,
    direction,
  }: {
    readonly starts: Frontier
    /** Found ones are added. */
    readonly hubs: Set<Address>
    readonly direction: Direction
  },
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const seen = new Set(starts.keys())
  let frontier = starts
  for (let level = 0; level < LEVELS; level += 1) {
    const edges = await readKnownEdges(following, signal)
    const isKnown = (wallet: Address) => seen.has(wallet) || hubs.has(wallet)
    const next = selectNext(edges, { frontier, direction, isKnown })
    for (const hub of await readHubs(following, [...next.keys()], signal)) hubs.add(hub)
    const wallets = [...next.keys()].filter((wallet) => !hubs.has(wallet))
    await sweep(following, { direction, wallets }, signal)
    for (const wallet of wallets) seen.add(wallet)
    frontier = new Map([...next].filter(([wallet]) => !hubs.has(wallet)))
  }
  return [...seen].filter((wallet) => !starts.has(wallet))
}

async function readKnownEdges(following: Following, signal: AbortSignal): Promise<readonly MoneyEdge[]> {
  const attempts = await readAllTransferAttempts(following, following.blocks)
  return readEdges(following.ledger, { ...following, attempts }, signal)
}

async function readHubs(following: Following, wallets: readonly Address[], signal: AbortSignal) {
  const { nodes, range, usdc, window, blocks } = following
  return nodes.use(async ({ rpc }) => {
    const last = await readBlock(rpc, window.endBlock - 1, signal)
    if (!last) throw new RetryableError('the last block of the window disappeared')
    const search = { rpc, range, usdc, wallets, window: blocks, hash: last.hash }
    return findHubs(search, signal)
  }, signal)
}

/** The wallets on the ways of each merchant, and buyers that were paid for within one transaction. */
async function findWallets(
  following: Following,
  {
    buyers,
    hubs,
  }: { readonly buyers: ReadonlyMap<Address, ReadonlySet<Address>>; readonly hubs: ReadonlySet<Address> },
  signal: AbortSignal,
): Promise<ReadonlyMap<Address, ReadonlySet<Address>>> {
  const { ledger, window, coverage, method, blocks } = following
  const edges = await readKnownEdges(following, signal)
  const outflowAttempts = await readTransferAttempts({ ...following, direction: 'out' }, blocks)
  const selection = { window, coverage, method, outflowAttempts, max: MAX_BUYERS }
  const together = await readBuyersOfSenders(ledger, { ...selection, isSameTransaction: true }, signal)
  const found = [...buyers].map(([merchant, own]) => {
    const origins = originsOf(merchant, method)
    const ways = findWays({ origins, buyers: own, edges, hubs })
    return [merchant, new Set([...ways, ...(together.get(merchant) ?? [])])] as const
  })
  return new Map(found.filter(([, wallets]) => wallets.size > 0))
}

async function judgeAll(
  following: Following,
  of: { readonly wallets: ReadonlyMap<Address, readonly Address[]>; readonly hubs: ReadonlySet<Address> },
  signal: AbortSignal,
): Promise<Pick<PreparedFlows, 'flows' | 'followed'>> {
  const { ledger, window, coverage, method, blocks } = following
  const attempts = await readAllTransferAttempts(following, blocks)
  const flows = new Map<Address, MerchantFlow>()
  const followed = new Map<Address, Followed>()
  const hubs = [...of.hubs].sort()
  const trails = [...of.wallets].map(([merchant, wallets]) => {
    const disclosed = method.inputs.disclosedWallets.get(merchant) ?? new Set()
    const trail = { merchant, disclosed, followed: { wallets, hubs }, window, coverage, method, attempts }
    return { trail, own: toFollowedWallets(trail) }
  })
  const owns = trails.map(({ own }) => own)
  const all = await readIndirectPayments(ledger, following, owns, signal)
  const [paidBy, paidTo] = [Map.groupBy(all, ({ buyer }) => buyer), Map.groupBy(all, (one) => one.merchant)]
  const ofWallet = (wallet: Address) => [...(paidBy.get(wallet) ?? []), ...(paidTo.get(wallet) ?? [])]
  for (const { trail, own } of trails) {
    const payments = [...new Set([...own.origins, ...own.wallets].flatMap(ofWallet))]
    const found = await judgeMerchant(ledger, { trail, own, payments }, signal)
    flows.set(trail.merchant, found.flow)
    followed.set(trail.merchant, found.followed)
  }
  return { flows, followed }
}

function originsOf(merchant: Address, { inputs }: Method): ReadonlySet<Address> {
  return new Set([merchant, ...(inputs.disclosedWallets.get(merchant) ?? [])])
}
