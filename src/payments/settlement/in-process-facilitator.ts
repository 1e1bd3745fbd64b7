import { randomUUID } from 'node:crypto'
import type { Address, Hex } from '../../chain/hex.ts'
import { createRemoteSigner } from '../../chain/remote-signer.ts'
import { createWalletSigner, type WalletSigner } from '../../chain/wallet-signer.ts'
import { startTicker } from '../../flow/ticker.ts'
import { isErc6492 } from '../authorization/check-signature.ts'
import type {
  ChannelEscrow,
  FacilitatorHealth,
  RunningFacilitator,
  SettleOrder,
  Verification,
} from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import { type Chain, openChain } from './chain/chain.ts'
import { type CodeCache, createCodeCache } from './chain/code-cache.ts'
import { createFeeSource, type FeeSource } from './chain/fees.ts'
import { createGasBalance } from './chain/gas-balance.ts'
import { toGasCost } from './chain/gas-cost.ts'
import { createGasWarning } from './chain/gas-warning.ts'
import { createChannelEscrow } from './channel-escrow.ts'
import type { InProcessOptions } from './options.ts'
import { createGasLimits, type GasLimits } from './orders/gas-limits.ts'
import { planSettlement } from './orders/plan-settlement.ts'
import { createSettlementDesk } from './orders/settlement-desk.ts'
import { type Simulation, simulateSettlement } from './orders/simulate.ts'
import { repairNonces } from './sending/repair-nonces.ts'
import { openWallet, type Wallet, WrongChain } from './sending/wallet.ts'

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
  readonly escrow: ChannelEscrow
  waiting(): number
}

/**
 * Verifies and settles with wallets of our own. It connects to the chain at the first use and retries until
 * the chain answers, so that a start does not depend on it.
 * @throws TypeError for a key or RPC URL that cannot be used; WrongChain if the RPC serves another chain.
 */
export async function createInProcessFacilitator(given: InProcessOptions): Promise<InProcessFacilitator> {
  const options = { ...DEFAULTS, ...given }
  const { logger, state, leaseMs, ethUsd } = options
  const chain = openChain(options.chain)
  const firstSigner = openSigner(options.key, options.signerUrl)
  const signers = [firstSigner, ...options.moreKeys.map((key) => openSigner(key, options.signerUrl))]
  const addresses = signers.map(({ address }) => address)
  const first = firstSigner.address
  const fees = createFeeSource(chain, options.maxFeePerGas)
  const codes = createCodeCache(chain)
  const limits = createGasLimits()
  const allowedFactories = options.allowedFactories.map((factory) => factory.toLowerCase() as typeof factory)

  const owner = randomUUID()
  let opening: Promise<readonly Wallet[]> | null = null
  const meetChain = (): Promise<readonly Wallet[]> => {
    const open = (signer: WalletSigner) => openWallet(chain, signer, { state, owner, leaseMs })
    opening ??= Promise.all(signers.map(open)).catch((error) => {
      opening = null
      throw error
    })
    return opening
  }
  await meetChain().catch((error) => {
    if (error instanceof WrongChain) throw error
    logger.warn('the chain RPC does not answer yet')
  })
  const repairs = startTicker({
    everyMs: leaseMs / 5,
    async work() {
      const repaired = (await meetChain()).map((wallet) => repairNonces(wallet, fees))
      const rows = (await Promise.all(repaired)).reduce((sum, count) => sum + count, 0)
      if (rows > 0) logger.warn({ rows }, 'resent transactions that were left behind')
    },
    onError: (error) =>
      logger.debug(
        { reason: error instanceof Error ? error.name : 'unknown' },
        'nonces could not be checked',
      ),
  })
  repairs.runNow()
  const gas = addresses.map((address) => createGasBalance(chain, { address, fees, ethUsd }))
  const warnOfGas = createGasWarning(logger)
  /** Wallets whose gas was low when it was last read. */
  const low = new Set<Address>()
  const health = async (): Promise<FacilitatorHealth> => {
    const all = await Promise.all(gas.map((read) => read()))
    for (const [at, address] of addresses.entries())
      if (all[at]?.isHealthy) low.delete(address)
      else low.add(address)
    const best = all.find(({ isHealthy }) => isHealthy) ?? all[0]
    const gasLeft = all.flatMap(({ gasLeft = [] }) => gasLeft)
    warnOfGas(gasLeft)
    return { isHealthy: false, detail: '', ...best, gasLeft }
  }
  const namedBy = ({ scheme, terms }: OfferedPayment): Address | null =>
    scheme === 'upto' ? (String(terms.extra.facilitatorAddress).toLowerCase() as Address) : null
  let turn = 0
  /** The wallet that an order names, otherwise those with gas in turn. */
  const walletFor = (wallets: readonly Wallet[], order?: SettleOrder): Wallet | undefined => {
    const named = order && namedBy(order.payment)
    if (named) return wallets.find(({ signer }) => signer.address === named)
    const able = wallets.filter(({ signer }) => !low.has(signer.address))
    turn += 1
    return able[turn % able.length] ?? wallets[0]
  }
  const toSending = (wallet: Wallet) => ({
    wallet,
    fees,
    settleTimeoutMs: options.settleTimeoutMs,
    bumpAfterMs: options.bumpAfterMs,
    onGap: repairs.runNow,
    onMined: options.onMined,
  })
  const desk = createSettlementDesk(
    { batchSize: options.batchSize, lanes: signers.length, codes },
    async (order) => {
      const wallets = await meetChain()
      const wallet = walletFor(wallets, order)
      if (!wallet) throw new RangeError('no wallet of this facilitator may settle the payment')
      return {
        ...toSending(wallet),
        wallets,
        codes,
        limits,
        allowedFactories,
        ethUsd,
      }
    },
  )

  return {
    address: first,
    addresses,
    verify: (payment, signal) => {
      const named = namedBy(payment)
      const from = named && addresses.includes(named) ? named : first
      return verifyPayment(payment, { chain, codes, fees, limits, from, allowedFactories, ethUsd }, signal)
    },
    settle: desk.settle,
    waiting: desk.waiting,
    escrow: createChannelEscrow({
      chain,
      signer: firstSigner,
      open: async () => {
        const [wallet] = await meetChain()
        if (!wallet) throw new RangeError('this facilitator has no wallet')
        return toSending(wallet)
      },
      gasCost: async (gas) => toGasCost(gas, await fees.expected(), ethUsd),
    }),
    health,
    async close() {
      await desk.drain()
      await repairs.stop()
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
