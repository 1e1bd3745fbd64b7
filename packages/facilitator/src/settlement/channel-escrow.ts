import type { ChannelConfig } from '@tollbook/chain/digests'
import type { Address, Hex } from '@tollbook/chain/hex'
import type { ContractCall } from '@tollbook/chain/multicall'
import type { Network } from '@tollbook/chain/network'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { ChannelEscrow, ChannelReading, SendOrder, SentFinding } from '@tollbook/gate/facilitator'
import type { SentPayment } from '@tollbook/gate/payment'
import {
  type Chain,
  readCode,
  readReceipt,
  simulateCall,
  type TransactionReceipt,
} from '@tollbook/gate/reading/chain'
import type {
  AnyRequirements,
  PaymentPayload,
  SettleResponse,
  VerifyResponse,
} from '@tollbook/gate/x402-messages'
import type { ChannelScheme } from './channel-scheme.ts'
import { estimateGas } from './orders/simulate.ts'
import { ChannelReads } from './read-channels.ts'
import { type SendOptions, sendTransaction } from './sending/send-transaction.ts'
import type { WalletSigner } from './wallet-signer.ts'

/** Gas of a claim of 100 channels is about 6 million. */
const MAX_GAS = 16_000_000
/** A first deposit by a wallet without code takes 136,000 on the dev chain. */
const MAX_DEPOSIT_GAS = 200_000
const PAYER_HAS_CODE = 'invalid_batch_settlement_evm_payer_has_code'
const AUTHORIZER_HAS_CODE = 'invalid_batch_settlement_evm_authorizer_has_code'
/** The state may change between the estimate and the block. */
const GAS_RESERVE_PERCENT = 30n

/** Whether the SDK is installed, which is an optional peer: it takes 80 MiB with viem. */
export function isChannelSdkInstalled(): boolean {
  try {
    import.meta.resolve('@x402/evm/batch-settlement/facilitator')
    import.meta.resolve('viem')
    return true
  } catch {
    return false
  }
}

/**
 * The escrow of payment channels: the SDK's facilitator decides what is sent, and our wallet sends it under a stored
 * nonce. Each of its transactions takes effect once, however often it is sent.
 */
export class WalletEscrow implements ChannelEscrow {
  readonly network: Network
  readonly authorizer: ChannelEscrow['authorizer']
  readonly #chain: Chain
  readonly #from: Address
  readonly #open: () => Promise<SendOptions>
  readonly #gasCost: (gas: bigint) => Promise<AtomicUsdc>
  readonly #reads: ChannelReads
  readonly #receipts = new Map<Hex, TransactionReceipt>()

  constructor(parts: {
    readonly chain: Chain
    readonly signer: WalletSigner
    readonly open: () => Promise<SendOptions>
    readonly gasCost: (gas: bigint) => Promise<AtomicUsdc>
  }) {
    const { chain, signer } = parts
    this.authorizer = signer
    this.network = chain.access.network
    this.#chain = chain
    this.#from = signer.address
    this.#open = parts.open
    this.#gasCost = parts.gasCost
    this.#reads = new ChannelReads(chain, signer.address)
  }

  async verify(payload: PaymentPayload, requirements: AnyRequirements): Promise<VerifyResponse> {
    const { reason, ...party } = (await this.#findCode(payload)) ?? {}
    if (reason !== undefined) return { isValid: false, invalidReason: reason, ...party }
    return (await this.#openScheme()).verify(payload, requirements)
  }

  async settle(
    payload: PaymentPayload,
    requirements: AnyRequirements,
    order?: SendOrder,
  ): Promise<SettleResponse> {
    const { reason, ...party } = (await this.#findCode(payload)) ?? {}
    if (reason === undefined) return (await this.#openScheme(order)).settle(payload, requirements)
    return { success: false, errorReason: reason, transaction: '', network: this.network.id, ...party }
  }

  async findSent(payment: SentPayment, hashes: readonly Hex[]): Promise<SentFinding> {
    const { wallet } = await this.#open()
    // In this order, the second read sees a transaction that is mined between the two.
    const isPending = await wallet.nonces.mayStillSettle(payment, await wallet.refreshCount())
    // Another process may have raised the fee, which gave the transaction another hash.
    const stored = await wallet.nonces.readHashes(payment)
    const mined = await this.#findMined([...hashes, ...stored])
    // A node that lags lacks the receipt of a transaction that another one has counted.
    return mined ?? { found: isPending || stored.length > 0 ? 'pending' : 'gone' }
  }

  read(channel: Hex): Promise<ChannelReading> {
    return this.#reads.read(channel)
  }

  readClaimed(channels: readonly Hex[]): Promise<readonly bigint[]> {
    return this.#reads.readClaimed(channels)
  }

  gasCost(gas: bigint): Promise<AtomicUsdc> {
    return this.#gasCost(gas)
  }

  /** The wallet whose consent is needed, if it has code, which could agree in a simulation and revert in the block. */
  async #findCode({ payload }: PaymentPayload): Promise<{ payer?: Address; reason: string } | null> {
    const [claim] = (payload.claims ?? []) as { voucher: { channel: ChannelConfig } }[]
    const config = (payload.channelConfig ?? claim?.voucher.channel) as ChannelConfig | undefined
    if (!config || payload.type === 'voucher') return null
    const isDeposit = payload.type === 'deposit'
    const wallet = isDeposit ? config.payer : config.receiverAuthorizer
    if ((await readCode(this.#chain, wallet.toLowerCase() as Address)) === '0x') return null
    return isDeposit ? { payer: config.payer, reason: PAYER_HAS_CODE } : { reason: AUTHORIZER_HAS_CODE }
  }

  /** Loaded when first needed: 0.4 s of modules. */
  async #openScheme(order?: SendOrder): Promise<ChannelScheme> {
    const { openChannelScheme } = await import('./channel-scheme.ts')
    return openChannelScheme({
      from: this.#from,
      simulate: (call) => simulateCall(this.#chain, { ...call, from: this.#from }),
      send: (call, limit, isDeposit) =>
        this.#send(call, order, { limit, maxGas: isDeposit ? MAX_DEPOSIT_GAS : MAX_GAS }),
      takeReceipt: (hash) => this.#takeReceipt(hash),
      readCode: (wallet) => readCode(this.#chain, wallet),
    })
  }

  async #send(
    call: ContractCall,
    order?: SendOrder,
    { limit, maxGas = MAX_GAS }: { readonly limit?: bigint | undefined; readonly maxGas?: number } = {},
  ): Promise<Hex> {
    const from = this.#from
    const estimated = limit ?? (await estimateGas(this.#chain, { ...call, from, gas: maxGas }))
    const gas = (estimated * (100n + GAS_RESERVE_PERCENT)) / 100n
    const sending = await sendTransaction({ orders: order ? [order] : [], call, gas }, await this.#open())
    if (sending.kind !== 'mined')
      throw new Error(`not mined: ${sending.kind === 'withheld' ? 'withheld' : sending.reason}`)
    this.#receipts.set(sending.receipt.transactionHash, sending.receipt)
    return sending.receipt.transactionHash
  }

  #takeReceipt(hash: Hex): TransactionReceipt {
    const receipt = this.#receipts.get(hash)
    this.#receipts.delete(hash)
    if (!receipt) throw new Error('the transaction is not one of this process')
    return receipt
  }

  async #findMined(hashes: readonly Hex[]): Promise<SentFinding | null> {
    const receipts = await Promise.all([...new Set(hashes)].map((hash) => readReceipt(this.#chain, hash)))
    const mined = receipts.find((receipt) => receipt?.status === '0x1')
    if (mined) return { found: 'mined', transaction: mined.transactionHash }
    const reverted = receipts.find((receipt) => receipt !== null)
    return reverted ? { found: 'reverted', transaction: reverted.transactionHash } : null
  }
}
