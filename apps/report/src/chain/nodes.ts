import { setTimeout as wait } from 'node:timers/promises'
import { type Block, toBlock } from '@tollbook/chain/blocks'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { NodeBehind, RateLimited, RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { InvalidAnswer, PermanentError, Unreachable } from '@tollbook/flow/failure'
import { createChannelHistory } from '@tollbook/verify/chain/channel-history'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import { createReceiptWays } from '@tollbook/verify/chain/receipt-ways'
import type { ChainNode } from './follow.ts'

export type Nodes = {
  /** Block 0, which identifies the chain. */
  readonly genesis: Block
  /** Sends each call or batch to a healthy node; for requests that any of them can answer. */
  readonly rpc: Rpc
  /**
   * Does work with the first healthy node, and all of it again with the next if it fails. `findWitness`
   * returns another one. @throws the last node's error; PermanentError if every node is of another chain.
   */
  use<T>(
    work: (node: ChainNode, findWitness: () => Promise<ChainNode | null>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
}

export type NodeTrouble = {
  /** Such as `chain RPC 2 of 3`: never a URL, which may contain a key. */
  readonly node: string
  readonly error: Error
  /** How long the node is skipped; null means permanently. */
  readonly restMs: number | null
}

export type NodesOptions = {
  /** In order of preference. */
  readonly urls: readonly string[]
  /** The required chain id; absent: any, but the same for all. */
  readonly chainId?: number
  readonly onTrouble?: (trouble: NodeTrouble) => void
  readonly now?: () => number
  /** For one attempt, see rpc.ts. */
  readonly timeoutMs?: number
}

const FIRST_REST_MS = 15_000
const MAX_REST_MS = 300_000
/** A lagging node catches up within a few blocks. */
const BEHIND_REST_MS = 10_000
/** Public endpoints limit requests per second. */
const RATE_LIMIT_REST_MS = 5_000
/** With several nodes, a slow one is abandoned sooner. */
const ATTEMPTS_AMONG_SEVERAL = 2

const NEVER = new AbortController().signal

type Kept = ChainNode & {
  readonly name: string
  state: 'new' | 'known' | 'refused'
  restUntilMs: number
  failures: number
}

/** Creates clients of nodes. @throws TypeError for an invalid URL; otherwise the last node's error. */
export async function openNodes(options: NodesOptions, signal: AbortSignal): Promise<Nodes> {
  const { urls, onTrouble = () => {}, now = Date.now, chainId, timeoutMs } = options
  if (urls.length === 0) throw new TypeError('a chain needs at least one RPC URL')
  const attempts = urls.length > 1 ? { attempts: ATTEMPTS_AMONG_SEVERAL } : {}
  const nodes = urls.map(
    (url, at): Kept => ({
      name: `chain RPC ${at + 1} of ${urls.length}`,
      rpc: createReadRpc({ url, ...attempts, ...(timeoutMs !== undefined && { timeoutMs }) }),
      range: createRangeSize(),
      ways: createReceiptWays(),
      channels: createChannelHistory(),
      state: 'new',
      restUntilMs: 0,
      failures: 0,
    }),
  )
  let genesis: Block | null = null

  /** A node's identity is checked before anything else. */
  const identify = async (node: Kept, signal: AbortSignal): Promise<void> => {
    const first = await readIdentity(node.rpc, chainId, signal)
    genesis ??= first
    if (first.hash !== genesis.hash) throw new WrongChain('another chain answered: its block 0 differs')
    node.state = 'known'
  }

  const setAside = (node: Kept, error: Error) => {
    node.failures++
    const restMs = toRest(error, node.failures, nodes.length)
    if (restMs === null) node.state = 'refused'
    else node.restUntilMs = now() + restMs
    onTrouble({ node: node.name, error, restMs })
  }

  const chooseNodes = async (signal: AbortSignal): Promise<readonly Kept[]> => {
    const usable = nodes.filter(({ state }) => state !== 'refused')
    const soonest = Math.min(...usable.map(({ restUntilMs }) => restUntilMs))
    if (usable.length === 0) throw new PermanentError('no chain RPC is on the expected chain')
    if (soonest > now()) await wait(soonest - now(), undefined, { signal })
    const rested = usable.filter(({ restUntilMs }) => restUntilMs <= now())
    // A timer may fire a millisecond early.
    return rested.length > 0 ? rested : usable.filter(({ restUntilMs }) => restUntilMs === soonest)
  }

  const findWitness = async (node: Kept, signal: AbortSignal): Promise<Kept | null> => {
    for (const other of nodes) {
      if (other === node || other.state === 'refused' || other.restUntilMs > now()) continue
      try {
        if (other.state === 'new') await identify(other, signal)
        return other
      } catch (error) {
        signal.throwIfAborted()
        if (!isNodeIssue(error)) throw error
        setAside(other, error)
      }
    }
    return null
  }

  const use: Nodes['use'] = async (work, signal) => {
    let failure: unknown
    for (const node of await chooseNodes(signal)) {
      try {
        if (node.state === 'new') await identify(node, signal)
        const result = await work(node, () => findWitness(node, signal))
        node.failures = 0
        return result
      } catch (error) {
        signal.throwIfAborted()
        if (!isNodeIssue(error)) throw error
        setAside(node, error)
        failure = error
      }
    }
    throw failure
  }

  await use(() => Promise.resolve(), signal)
  if (!genesis) throw new PermanentError('no chain RPC returned its block 0')
  return {
    genesis,
    rpc: {
      call: (method, params, signal = NEVER) =>
        throwRefusal(use(({ rpc }) => keepRefusal(rpc.call(method, params, signal)), signal)),
      batch: (requests, signal = NEVER) =>
        throwRefusal(use(({ rpc }) => keepRefusal(rpc.batch(requests, signal)), signal)),
    },
    use,
  }
}

/** A refusal may be caused by the request, such as too long a range, and not by the node. */
function keepRefusal<T>(asking: Promise<T>): Promise<T | RpcRefusal> {
  return asking.catch((error: unknown) => {
    if (error instanceof RpcRefusal) return error
    throw error
  })
}

async function throwRefusal<T>(asking: Promise<T | RpcRefusal>): Promise<T> {
  const answer = await asking
  if (answer instanceof RpcRefusal) throw answer
  return answer
}

/** The node is on another chain and is never used again. */
class WrongChain extends PermanentError {
  override readonly name = 'WrongChain'
}

async function readIdentity(rpc: Rpc, chainId: number | undefined, signal: AbortSignal): Promise<Block> {
  const [id, first] = await rpc.batch(
    [
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: ['0x0', false] },
    ],
    signal,
  )
  if (chainId !== undefined && Number(id) !== chainId)
    throw new WrongChain(`the chain id is ${Number(id)}, expected ${chainId}`)
  const genesis = toBlock(first)
  if (!genesis) throw new InvalidAnswer('the chain RPC has no block 0')
  return genesis
}

function isNodeIssue(error: unknown): error is Error {
  return (
    error instanceof Unreachable ||
    error instanceof RateLimited ||
    error instanceof NodeBehind ||
    error instanceof InvalidAnswer ||
    error instanceof RpcRefusal ||
    error instanceof WrongChain
  )
}

/** @returns ms; null means permanently. */
function toRest(error: Error, failures: number, nodes: number): number | null {
  const growing = (firstMs: number) => Math.min(MAX_REST_MS, firstMs * 2 ** Math.min(failures - 1, 10))
  if (error instanceof WrongChain) return null
  if (error instanceof RateLimited)
    return Math.min(MAX_REST_MS, error.retryAfterMs ?? growing(RATE_LIMIT_REST_MS))
  // A single node is queried whenever its caller wants.
  if (nodes === 1) return 0
  return growing(error instanceof NodeBehind ? BEHIND_REST_MS : FIRST_REST_MS)
}
