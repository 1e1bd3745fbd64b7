import type { PaymentPayload } from '@x402/core/types'
import type { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator'
import type { Abi, TypedDataDefinition } from 'viem'
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils'
import type { HeadTag } from '../../chain/blocks.ts'
import type { ChannelConfig } from '../../chain/digests.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import { type ContractCall, decodeAggregate, encodeAggregate } from '../../chain/multicall.ts'
import type { WalletSigner } from '../../chain/wallet-signer.ts'
import { InvalidAnswer } from '../../flow/failure.ts'
import { CONTRACTS } from '../../money/contracts.ts'
import { BASE } from '../../money/network.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { ChannelEscrow, SendOrder, SentFinding } from '../facilitator.ts'
import { type Chain, readCode, readReceipt, simulateCall, type TransactionReceipt } from './chain/chain.ts'
import { estimateGas } from './orders/simulate.ts'
import { type SendOptions, sendTransaction } from './sending/send-transaction.ts'

const ABI = parseAbi([
  'function channels(bytes32) view returns (uint128 balance, uint128 totalClaimed)',
  'function pendingWithdrawals(bytes32) view returns (uint128 amount, uint40 initiatedAt)',
  'function refundNonce(bytes32) view returns (uint256)',
])
/** Gas of a claim of 100 channels is about 6 million. */
const MAX_GAS = 16_000_000
/** A first deposit by a wallet without code takes 136,000 on the dev chain. */
const MAX_DEPOSIT_GAS = 200_000
const PAYER_HAS_CODE = 'invalid_batch_settlement_evm_payer_has_code'
const AUTHORIZER_HAS_CODE = 'invalid_batch_settlement_evm_authorizer_has_code'
/** The state may change between the estimate and the block. */
const GAS_RESERVE_PERCENT = 30n

type ContractCallArgs = {
  readonly address: Hex
  readonly abi: readonly unknown[]
  readonly functionName: string
  readonly args?: readonly unknown[]
  readonly gas?: bigint
}

/**
 * The escrow of payment channels: the SDK's facilitator decides what is sent, and our wallet sends it under a stored
 * nonce. Each of its transactions takes effect once, however often it is sent.
 */
export function createChannelEscrow(parts: {
  readonly chain: Chain
  readonly signer: WalletSigner
  readonly open: () => Promise<SendOptions>
  readonly gasCost: (gas: bigint) => Promise<AtomicUsdc>
}): ChannelEscrow {
  const { chain, signer, open, gasCost } = parts
  const from = signer.address
  const receipts = new Map<Hex, TransactionReceipt>()

  const toCall = ({ address, abi, functionName, args = [] }: ContractCallArgs): ContractCall => ({
    to: address.toLowerCase() as Address,
    // The SDK types its ABIs loosely.
    data: encodeFunctionData({ abi: abi as Abi, functionName, args }),
  })

  async function send(
    call: ContractCall,
    order?: SendOrder,
    { limit, maxGas = MAX_GAS }: { readonly limit?: bigint | undefined; readonly maxGas?: number } = {},
  ): Promise<Hex> {
    const estimated = limit ?? (await estimateGas(chain, { ...call, from, gas: maxGas }))
    const gas = (estimated * (100n + GAS_RESERVE_PERCENT)) / 100n
    const sending = await sendTransaction({ orders: order ? [order] : [], call, gas }, await open())
    if (sending.kind !== 'mined')
      throw new Error(`not mined: ${sending.kind === 'withheld' ? 'withheld' : sending.reason}`)
    receipts.set(sending.receipt.transactionHash, sending.receipt)
    return sending.receipt.transactionHash
  }

  /** Loaded when first needed: 0.4 s of modules. Without a key of its own, so that it signs for nobody. */
  async function openScheme(order?: SendOrder): Promise<BatchSettlementEvmScheme> {
    const { BatchSettlementEvmScheme: Scheme } = await import('@x402/evm/batch-settlement/facilitator')
    return new Scheme({
      getAddresses: () => [from],
      readContract: async (read) => {
        const call = toCall(read)
        const data = await simulateCall(chain, { ...call, from })
        const { abi, functionName } = read
        return decodeFunctionResult({ abi: abi as Abi, functionName, data })
      },
      writeContract: (write) =>
        send(toCall(write), order, {
          limit: write.gas,
          maxGas: write.functionName === 'deposit' ? MAX_DEPOSIT_GAS : MAX_GAS,
        }),
      sendTransaction: ({ to, data }) => send({ to: to.toLowerCase() as Address, data }, order),
      waitForTransactionReceipt: async ({ hash }) => {
        const receipt = receipts.get(hash)
        receipts.delete(hash)
        if (!receipt) throw new Error('the transaction is not one of this process')
        // The SDK reads address, topics and data of logs.
        const logs = receipt.logs as unknown as []
        return { status: receipt.status === '0x1' ? 'success' : 'reverted', logs }
      },
      // Payers and vouchers of wallets without their own key are refused before.
      verifyTypedData: async ({ address, signature, ...typed }) => {
        const { recoverTypedDataAddress } = await import('viem')
        const recovered = await recoverTypedDataAddress({ ...typed, signature } as never).catch(() => '')
        return recovered.toLowerCase() === address.toLowerCase()
      },
      getCode: ({ address }) => readCode(chain, address.toLowerCase() as Address),
    })
  }

  /** The wallet whose consent is needed, if it has code, which could agree in a simulation and revert in the block. */
  async function findCode({ payload }: PaymentPayload): Promise<{ payer?: Address; reason: string } | null> {
    const [claim] = (payload.claims ?? []) as { voucher: { channel: ChannelConfig } }[]
    const config = (payload.channelConfig ?? claim?.voucher.channel) as ChannelConfig | undefined
    if (!config || payload.type === 'voucher') return null
    const isDeposit = payload.type === 'deposit'
    const wallet = isDeposit ? config.payer : config.receiverAuthorizer
    if ((await readCode(chain, wallet.toLowerCase() as Address)) === '0x') return null
    return isDeposit ? { payer: config.payer, reason: PAYER_HAS_CODE } : { reason: AUTHORIZER_HAS_CODE }
  }

  const readChannels = async (calls: readonly ContractCall[], block: HeadTag = 'latest') => {
    const data = encodeAggregate(calls)
    const returned = decodeAggregate(
      await simulateCall(chain, { to: CONTRACTS.multicall3, data, from, block }),
    )
    return returned.flatMap(({ isOk, data }) => (isOk ? (data.slice(2).match(/.{64}/g) ?? []) : []))
  }
  async function findMined(hashes: readonly Hex[]): Promise<SentFinding | null> {
    const receipts = await Promise.all([...new Set(hashes)].map((hash) => readReceipt(chain, hash)))
    const mined = receipts.find((receipt) => receipt?.status === '0x1')
    if (mined) return { found: 'mined', transaction: mined.transactionHash }
    const reverted = receipts.find((receipt) => receipt !== null)
    return reverted ? { found: 'reverted', transaction: reverted.transactionHash } : null
  }
  const toRead = (functionName: string, channel: Hex) =>
    toCall({ address: CONTRACTS.channelEscrow, abi: ABI, functionName, args: [channel] })

  /** Null on a chain that never reorganises. */
  async function readSafeBalance(channel: Hex): Promise<bigint | null> {
    if (chain.access.finalTag === 'latest') return null
    // A node may lack this block.
    const [balance] = await readChannels([toRead('channels', channel)], 'safe').catch(() => [])
    return balance === undefined ? 0n : BigInt(`0x${balance}`)
  }

  return {
    authorizer: {
      address: from,
      signTypedData: (typed) => signer.signTypedData(typed as TypedDataDefinition),
    },
    verify: async (payload, requirements) => {
      const { reason, ...party } = (await findCode(payload)) ?? {}
      if (reason !== undefined) return { isValid: false, invalidReason: reason, ...party }
      return (await openScheme()).verify(payload, requirements)
    },
    settle: async (payload, requirements, order) => {
      const { reason, ...party } = (await findCode(payload)) ?? {}
      if (reason === undefined) return (await openScheme(order)).settle(payload, requirements)
      return { success: false, errorReason: reason, transaction: '', network: BASE.id, ...party }
    },
    findSent: async (payment, hashes) => {
      const { wallet } = await open()
      // In this order, the second read sees a transaction that is mined between the two.
      const isPending = await wallet.nonces.mayStillSettle(payment, await wallet.refreshCount())
      // Another process may have raised the fee, which gave the transaction another hash.
      const stored = await wallet.nonces.readHashes(payment)
      const mined = await findMined([...hashes, ...stored])
      // A node that lags lacks the receipt of a transaction that another one has counted.
      return mined ?? { found: isPending || stored.length > 0 ? 'pending' : 'gone' }
    },
    getSupported: async () => ({ kinds: [], extensions: [], signers: {} }),
    read: async (channel) => {
      const [words, safeBalance] = await Promise.all([
        readChannels(ABI.map(({ name }) => toRead(name, channel))),
        readSafeBalance(channel),
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
    },
    readClaimed: async (channels) => {
      const words = await readChannels(channels.map((channel) => toRead('channels', channel)))
      // Each has its balance first.
      if (words.length !== 2 * channels.length) throw new InvalidAnswer(NO_ESCROW)
      return channels.map((_, at) => BigInt(`0x${words[2 * at + 1]}`))
    },
    gasCost,
  }
}

const NO_ESCROW = 'the chain has no escrow of payment channels at the expected address'
