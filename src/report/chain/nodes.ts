import { setTimeout as wait } from 'node:timers/promises'
import { InvalidAnswer, PermanentError, Unreachable } from '../../fetching/failure.ts'
import { type Block, toBlock } from './blocks.ts'
import type { ChainNode } from './follow.ts'
import { createRangeSize } from './range-size.ts'
import { createRpc, type Rpc } from './rpc/rpc.ts'
import { NodeBehind, RateLimited, RpcRefusal } from './rpc/rpc-failure.ts'

/** Several nodes of one chain. */
export type Nodes = {
  /** Block 0, which tells any two chains apart. */
  readonly genesis: Block
  /** Each call and each batch goes to a node in good health; for what may be answered by any of them. */
  readonly rpc: Rpc
  /**
   * Does work at the first node in good health, and all of it again at the next one when the node fails at it.
   * `findWitness` gives another node in good health, or null.
   * @throws what the last node failed with; PermanentError when every node is of another chain.
   */
  use<T>(
    work: (node: ChainNode, findWitness: () => Promise<ChainNode | null>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
}

export type NodeTrouble = {
  /** Such as `chain RPC 2 of 3`: no URL, which may contain a key. */
  readonly node: string
  readonly error: Error
  /** For how long the node is left alone; null when for good. */
  readonly restMs: number | null
}

export type NodesOptions = {
  /** In the order in which they are asked. */
  readonly urls: readonly string[]
  /** The chain id that all of them must have; absent: any, but all the same chain. */
  readonly chainId?: number
  readonly onTrouble?: (trouble: NodeTrouble) => void
  readonly now?: () => number
  /** For one attempt, see rpc.ts. */
  readonly timeoutMs?: number
}

const FIRST_REST_MS = 15_000
const MAX_REST_MS = 300_000
/** A node that lags behind catches up in a few blocks. */
const BEHIND_REST_MS = 10_000
/** Public endpoints count requests by the second. */
const RATE_LIMIT_REST_MS = 5_000
/** With others to ask, one is not waited for as long. */
const ATTEMPTS_AMONG_SEVERAL = 2

type Kept = ChainNode & {
  readonly name: string
  state: 'new' | 'known' | 'refused'
  restUntilMs: number
  failures: number
}

/**
 * Makes clients of nodes, and reads the genesis block of the first that answers.
 * @throws TypeError for a text that is no URL; else what the last node failed with.
 */
export async function openNodes(options: NodesOptions, signal: AbortSignal): Promise<Nodes> {
  const { urls, onTrouble = () => {}, now = Date.now, chainId, timeoutMs } = options
  if (urls.length === 0) throw new TypeError('a chain needs at least one RPC URL')
  const attempts = urls.length > 1 ? { attempts: ATTEMPTS_AMONG_SEVERAL } : {}
  const nodes = urls.map(
    (url, at): Kept => ({
      name: `chain RPC ${at + 1} of ${urls.length}`,
      rpc: createRpc({ url, ...attempts, ...(timeoutMs !== undefined && { timeoutMs }) }),
      range: createRangeSize(),
      state: 'new',
      restUntilMs: 0,
      failures: 0,
    }),
  )
  let genesis: Block | null = null

  /** A node is asked who it is before anything else. */
  const identify = async (node: Kept, signal: AbortSignal): Promise<void> => {
    const first = await readIdentity(node.rpc, chainId, signal)
    genesis ??= first
    if (first.hash !== genesis.hash) throw new WrongChain('another chain answers: its block 0 is another')
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
    if (usable.length === 0) throw new PermanentError('no chain RPC is one of the chain that is asked for')
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
        if (!isNodeFault(error)) throw error
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
        if (!isNodeFault(error)) throw error
        setAside(node, error)
        failure = error
      }
    }
    throw failure
  }

  await use(() => Promise.resolve(), signal)
  if (!genesis) throw new PermanentError('no chain RPC tells its block 0')
  return {
    genesis,
    rpc: {
      call: (method, params, signal) =>
        throwRefusal(use(({ rpc }) => keepRefusal(rpc.call(method, params, signal)), signal)),
      batch: (requests, signal) =>
        throwRefusal(use(({ rpc }) => keepRefusal(rpc.batch(requests, signal)), signal)),
    },
    use,
  }
}

/** What is asked of no node in particular may well be refused: too long a range is no fault of the node. */
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

/** The node belongs to another chain, and is never asked again. */
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
    throw new WrongChain(`chain ${Number(id)} answers, not ${chainId}`)
  const genesis = toBlock(first)
  if (!genesis) throw new InvalidAnswer('the chain RPC knows no block 0')
  return genesis
}

function isNodeFault(error: unknown): error is Error {
  return (
    error instanceof Unreachable ||
    error instanceof RateLimited ||
    error instanceof NodeBehind ||
    error instanceof InvalidAnswer ||
    error instanceof RpcRefusal ||
    error instanceof WrongChain
  )
}

/** @returns ms; null for good. */
function toRest(error: Error, failures: number, nodes: number): number | null {
  const growing = (firstMs: number) => Math.min(MAX_REST_MS, firstMs * 2 ** Math.min(failures - 1, 10))
  if (error instanceof WrongChain) return null
  if (error instanceof RateLimited)
    return Math.min(MAX_REST_MS, error.retryAfterMs ?? growing(RATE_LIMIT_REST_MS))
  // The only node is asked again whenever its caller wants to.
  if (nodes === 1) return 0
  return growing(error instanceof NodeBehind ? BEHIND_REST_MS : FIRST_REST_MS)
}
