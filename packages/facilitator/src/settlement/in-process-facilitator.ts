import type { Address, Hex } from '@tollbook/chain/hex'
import { isErc6492 } from '@tollbook/gate/authorization/check-signature'
import type { ChannelEscrow, RunningFacilitator, Verification } from '@tollbook/gate/facilitator'
import type { OfferedPayment } from '@tollbook/gate/payment'
import { type Chain, openChain } from '@tollbook/gate/reading/chain'
import { type CodeCache, createCodeCache } from '@tollbook/gate/reading/code-cache'
import { createFeeSource, type FeeSource } from './chain/fees.ts'
import { toGasCost } from './chain/gas-cost.ts'
import { isChannelSdkInstalled, WalletEscrow } from './channel-escrow.ts'
import type { InProcessOptions } from './options.ts'
import { createGasLimits, type GasLimits } from './orders/gas-limits.ts'
import { planSettlement } from './orders/plan-settlement.ts'
import { createSettlementDesk } from './orders/settlement-desk.ts'
import { type Simulation, simulateSettlement } from './orders/simulate.ts'
import { addressNamedBy, OwnWallets } from './own-wallets.ts'
import { createRemoteSigner } from './remote-signer.ts'
import type { Wallet } from './sending/wallet.ts'
import { createWalletSigner, type WalletSigner } from './wallet-signer.ts'

type VerifyContext = {
  readonly chain: Chain
  readonly codes: CodeCache
  readonly fees: FeeSource
  readonly limits: GasLimits
  /** The wallet that would settle. */
  readonly from: Address
  readonly allowedFactories: readonly Address[]
  /** Dollars per ETH. */
  readonly ethUsd: number
}

const DEFAULTS = {
  settleTimeoutMs: 30_000,
  // Three blocks of Base: by then a transaction with a sufficient fee is mined.
  bumpAfterMs: 6_000,
  maxFeePerGas: 20_000_000_000n,
  batchSize: 150,
  // Later nonces wait in the mempool until a gap is filled, so it is short; storing a hash takes far less.
  leaseMs: 10_000,
  allowedFactories: [],
  moreKeys: [],
  onMined: () => {},
  ethUsd: 0,
} as const

/** `0x` and 20 bytes. */
const ADDRESS_LENGTH = 42

/** A facilitator with wallets of our own, any of which may settle `exact`. */
export type InProcessFacilitator = RunningFacilitator & {
  /** All wallets; the first is `address`. An `upto` payment settles with the one that it names. */
  readonly addresses: readonly Address[]
  /** Absent without the optional peers `@x402/evm` and `viem`, and no payment channels are settled then. */
  readonly escrow?: ChannelEscrow
  waiting(): number
}

/**
 * Verifies and settles with wallets of our own. It connects to the chain at the first use and retries until
 * the chain answers, so that a start does not depend on it.
 * @throws TypeError for a key or RPC URL that cannot be used; WrongChain if the RPC serves another chain.
 */
export async function createInProcessFacilitator(given: InProcessOptions): Promise<InProcessFacilitator> {
  const options = { ...DEFAULTS, ...given }
  const { logger, state, leaseMs, ethUsd, settleTimeoutMs, bumpAfterMs, onMined } = options
  const chain = openChain(options.chain)
  const firstSigner = openSigner(options.key, options.signerUrl)
  const signers = [firstSigner, ...options.moreKeys.map((key) => openSigner(key, options.signerUrl))]
  const fees = createFeeSource(chain, options.maxFeePerGas)
  const codes = createCodeCache(chain)
  const limits = createGasLimits()
  const allowedFactories = options.allowedFactories.map((factory) => factory.toLowerCase() as typeof factory)
  const own = new OwnWallets({ chain, signers, state, fees, ethUsd, leaseMs, logger })
  await own.start()
  const onGap = () => own.repair()
  const toSending = (wallet: Wallet) => ({ wallet, fees, settleTimeoutMs, bumpAfterMs, onGap, onMined })
  const desk = createSettlementDesk(
    { batchSize: options.batchSize, lanes: signers.length, codes },
    async (order) => {
      const wallets = await own.open()
      const sending = toSending(own.choose(wallets, order))
      return { ...sending, wallets, codes, limits, allowedFactories, ethUsd }
    },
  )
  const first = firstSigner.address
  const escrow = isChannelSdkInstalled()
    ? new WalletEscrow({
        chain,
        signer: firstSigner,
        open: async () => {
          const [wallet] = await own.open()
          if (!wallet) throw new RangeError('this facilitator has no wallet')
          return toSending(wallet)
        },
        gasCost: async (gas) => toGasCost(gas, await fees.expected(), ethUsd),
      })
    : null
  if (!escrow) logger.info({}, 'payment channels are not settled: they need npm install @x402/evm viem')
  return {
    address: first,
    addresses: own.addresses,
    verify: (payment, signal) => {
      const named = addressNamedBy(payment)
      const from = named && own.addresses.includes(named) ? named : first
      return verifyPayment(payment, { chain, codes, fees, limits, from, allowedFactories, ethUsd }, signal)
    },
    settle: desk.settle,
    waiting: desk.waiting,
    ...(escrow && { escrow }),
    health: () => own.health(),
    async close() {
      await desk.drain()
      await own.close()
    },
  }
}

/** @param key a private key, or the address of one that the signer holds. */
function openSigner(key: Hex, signerUrl: string | undefined): WalletSigner {
  if (key.length !== ADDRESS_LENGTH) return createWalletSigner(key)
  if (signerUrl === undefined) throw new TypeError('the address of a wallet needs the URL of a signer')
  return createRemoteSigner({ url: signerUrl, address: key.toLowerCase() as Address })
}

/**
 * Simulates the whole settlement, under `upto` with the maximum, against the newest block: the contracts
 * themselves then check signature, balance, allowance and use.
 * @throws what the RPC throws if it does not answer.
 */
async function verifyPayment(
  payment: OfferedPayment,
  { chain, codes, fees, limits, from, allowedFactories, ethUsd }: VerifyContext,
  signal: AbortSignal,
): Promise<Verification> {
  if (payment.scheme === 'upto' && String(payment.terms.extra.facilitatorAddress).toLowerCase() !== from)
    return { isValid: false, reason: 'upto_facilitator_mismatch', kind: 'other' }
  const reading = codes.payerCode(payment, signal)
  const planFor = (payerHasCode: boolean) =>
    planSettlement(payment, { amount: payment.signedAmount, payerHasCode, allowedFactories })
  // Only the deployment of a wallet depends on the answer; otherwise both are sent in one request.
  const plan = planFor(isErc6492(payment) && (await reading) !== null)
  if ('reason' in plan) return { isValid: false, reason: plan.reason, kind: 'other' }
  const [simulation, codeHash] = await Promise.all([
    simulateSettlement(chain, { plan, payment, from }, signal),
    reading,
  ])
  if (!simulation.isOk) return toRefusal(simulation)
  const hash = codeHash ?? (plan.factory && codes.hashOf(plan.factory))
  if (!hash) return { isValid: true }
  const ownPlan = plan.gas === null ? null : planFor(true)
  const estimated =
    ownPlan && 'call' in ownPlan
      ? await simulateSettlement(chain, { plan: ownPlan, payment, from }, signal)
      : simulation
  if (!estimated.isOk) return toRefusal(estimated)
  const gas = limits.fix(payment, hash, estimated.gas)
  const gasCost = toGasCost(gas, await fees.expected(signal), ethUsd)
  return { isValid: true, payerCode: { codeHash: hash, gas, gasCost } }
}

function toRefusal({ reason, kind }: Extract<Simulation, { isOk: false }>): Verification {
  return { isValid: false, reason, kind }
}
