import { requireBlock } from '@tollbook/chain/blocks'
import { parseUint } from '@tollbook/chain/hex'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import type { Chain } from '@tollbook/gate/reading/chain'

/** EIP-1559 fees of a transaction, wei per unit of gas. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Base fees change by at most an eighth per block; two seconds on Base are one block. */
const CACHED_MS = 1_000
/** Used if the node suggests no tip; Base accepts any. */
const MIN_TIP = 1_000_000n
/** Nodes replace a transaction only for a tenth more; a quarter also outruns a rising base fee. */
const RAISE_NUMERATOR = 5n
const RAISE_DENOMINATOR = 4n

/** What a transaction pays now, never above the limit. */
export type FeeSource = {
  /** The price of a unit of gas in the next block, wei. @throws as `current`. */
  expected(signal?: AbortSignal): Promise<bigint>
  /** @throws FeeBoundReached if the chain's fee exceeds the limit; what the RPC throws. */
  current(signal?: AbortSignal): Promise<Fees>
  /** Fees that replace a transaction sent with `sent`; null if they would exceed the limit. */
  raised(sent: Fees, signal?: AbortSignal): Promise<Fees | null>
}

/** The chain's fee exceeds the operator's limit. */
export class FeeBoundReached extends Error {
  override readonly name = 'FeeBoundReached'
}

export function createFeeSource(chain: Chain, most: bigint): FeeSource {
  let cached: { readonly base: bigint; readonly tip: bigint; readonly until: number } | null = null
  const read = async (signal?: AbortSignal) => {
    if (cached && cached.until > Date.now()) return cached
    const [head, tip] = await Promise.all([requireBlock(chain.rpc, 'latest', signal), readTip(chain, signal)])
    cached = { base: head.baseFeePerGas ?? 0n, tip, until: Date.now() + CACHED_MS }
    return cached
  }
  const readBounded = async (signal?: AbortSignal) => {
    const { base, tip } = await read(signal)
    if (base + tip > most) throw new FeeBoundReached('the gas fee of the chain exceeds the limit')
    return { base, tip }
  }
  return {
    async expected(signal) {
      const { base, tip } = await readBounded(signal)
      return base + tip
    },
    async current(signal) {
      const { base, tip } = await readBounded(signal)
      return { maxFeePerGas: smaller(2n * base + tip, most), maxPriorityFeePerGas: tip }
    },
    async raised(sent, signal) {
      const { base, tip } = await read(signal)
      const maxFeePerGas = larger(raise(sent.maxFeePerGas), 2n * base + tip)
      if (maxFeePerGas > most) return null
      const maxPriorityFeePerGas = smaller(larger(raise(sent.maxPriorityFeePerGas), tip), maxFeePerGas)
      return { maxFeePerGas, maxPriorityFeePerGas }
    },
  }
}

async function readTip(chain: Chain, signal?: AbortSignal): Promise<bigint> {
  try {
    return larger(parseUint(await chain.rpc.call('eth_maxPriorityFeePerGas', [], signal), 'fee'), MIN_TIP)
  } catch (error) {
    // Not every node supports the method.
    if (error instanceof RpcRefusal) return MIN_TIP
    throw error
  }
}

function raise(fee: bigint): bigint {
  return (fee * RAISE_NUMERATOR) / RAISE_DENOMINATOR + 1n
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
