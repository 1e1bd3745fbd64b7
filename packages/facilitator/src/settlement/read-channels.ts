import type { HeadTag } from '@tollbook/chain/blocks'
import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address, Hex } from '@tollbook/chain/hex'
import { type ContractCall, decodeAggregate, encodeAggregate } from '@tollbook/chain/multicall'
import { encodeWords } from '@tollbook/chain/words'
import { InvalidAnswer } from '@tollbook/flow/failure'
import type { ChannelReading } from '@tollbook/gate/facilitator'
import { type Chain, simulateCall } from '@tollbook/gate/reading/chain'

/** Selectors of the escrow's functions; the test derives them. */
export const READS = {
  /** channels(bytes32) returns (uint128 balance, uint128 totalClaimed) */
  channels: '0x7a7ebd7b',
  /** pendingWithdrawals(bytes32) returns (uint128 amount, uint40 initiatedAt) */
  pendingWithdrawals: '0xb7f06ebe',
  /** refundNonce(bytes32) returns (uint256) */
  refundNonce: '0xf0dc792e',
} as const

const NO_ESCROW = 'the chain has no escrow of payment channels at the expected address'

/** Reads payment channels from their escrow on the chain. */
export class ChannelReads {
  readonly #chain: Chain
  readonly #from: Address

  /** @param from the wallet that the calls are simulated for. */
  constructor(chain: Chain, from: Address) {
    this.#chain = chain
    this.#from = from
  }

  /** @throws InvalidAnswer if the chain has no escrow. */
  async read(channel: Hex): Promise<ChannelReading> {
    const [words, safeBalance] = await Promise.all([
      this.#readWords(READ_NAMES.map((name) => toRead(name, channel))),
      this.#readSafeBalance(channel),
    ])
    const [balance, claimed, , since, nonce] = words.map((word) => BigInt(`0x${word}`))
    if (balance === undefined || claimed === undefined || since === undefined || nonce === undefined)
      throw new InvalidAnswer(NO_ESCROW)
    return {
      balance,
      totalClaimed: claimed,
      withdrawRequestedAt: Number(since),
      refundNonce: Number(nonce),
      isSafe: safeBalance === null || safeBalance >= balance,
    }
  }

  /** Micro-USDC that each channel has paid so far. @throws InvalidAnswer if the chain has no escrow. */
  async readClaimed(channels: readonly Hex[]): Promise<readonly bigint[]> {
    const words = await this.#readWords(channels.map((channel) => toRead('channels', channel)))
    // Each has its balance first.
    if (words.length !== 2 * channels.length) throw new InvalidAnswer(NO_ESCROW)
    return channels.map((_, at) => BigInt(`0x${words[2 * at + 1]}`))
  }

  /** Null on a chain that never reorganises. */
  async #readSafeBalance(channel: Hex): Promise<bigint | null> {
    if (this.#chain.access.finalTag === 'latest') return null
    // A node may lack this block.
    const [balance] = await this.#readWords([toRead('channels', channel)], 'safe').catch(() => [])
    return balance === undefined ? 0n : BigInt(`0x${balance}`)
  }

  async #readWords(calls: readonly ContractCall[], block: HeadTag = 'latest'): Promise<readonly string[]> {
    const data = encodeAggregate(calls)
    const call = { to: CONTRACTS.multicall3, data, from: this.#from, block }
    const returned = decodeAggregate(await simulateCall(this.#chain, call))
    return returned.flatMap(({ isOk, data }) => (isOk ? (data.slice(2).match(/.{64}/g) ?? []) : []))
  }
}

const READ_NAMES = ['channels', 'pendingWithdrawals', 'refundNonce'] as const

function toRead(name: keyof typeof READS, channel: Hex): ContractCall {
  return { to: CONTRACTS.channelEscrow, data: `${READS[name]}${encodeWords([channel])}` }
}
