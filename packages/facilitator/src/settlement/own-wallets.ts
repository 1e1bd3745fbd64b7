import { randomUUID } from 'node:crypto'
import type { Address } from '@tollbook/chain/hex'
import type { Logger } from '@tollbook/flow/logger'
import { startTicker, type Ticker } from '@tollbook/flow/ticker'
import type { FacilitatorHealth, SettleOrder } from '@tollbook/gate/facilitator'
import type { OfferedPayment } from '@tollbook/gate/payment'
import type { Chain } from '@tollbook/gate/reading/chain'
import type { State } from '@tollbook/gate/state/state'
import type { FeeSource } from './chain/fees.ts'
import { createGasBalance } from './chain/gas-balance.ts'
import { createGasWarning } from './chain/gas-warning.ts'
import { repairNonces } from './sending/repair-nonces.ts'
import { openWallet, type Wallet, WrongChain } from './sending/wallet.ts'
import type { WalletSigner } from './wallet-signer.ts'

/** The wallets of a facilitator: opened at the first use, chosen in turn, their nonces repaired at intervals. */
export class OwnWallets {
  /** The first is used unless an order names another one. */
  readonly addresses: readonly Address[]
  readonly #chain: Chain
  readonly #signers: readonly WalletSigner[]
  readonly #state: State
  readonly #fees: FeeSource
  readonly #leaseMs: number
  readonly #logger: Logger
  readonly #owner = randomUUID()
  readonly #readGas: readonly (() => Promise<FacilitatorHealth>)[]
  readonly #warnOfGas: ReturnType<typeof createGasWarning>
  /** Wallets whose gas was low when it was last read. */
  readonly #low = new Set<Address>()
  #repairs: Ticker | null = null
  #opening: Promise<readonly Wallet[]> | null = null
  #turn = 0

  constructor(parts: {
    readonly chain: Chain
    readonly signers: readonly WalletSigner[]
    readonly state: State
    readonly fees: FeeSource
    /** Dollars per ETH. */
    readonly ethUsd: number
    readonly leaseMs: number
    readonly logger: Logger
  }) {
    const { chain, signers, fees, ethUsd, leaseMs, logger } = parts
    this.addresses = signers.map(({ address }) => address)
    this.#chain = chain
    this.#signers = signers
    this.#state = parts.state
    this.#fees = fees
    this.#leaseMs = leaseMs
    this.#logger = logger
    this.#readGas = this.addresses.map((address) => createGasBalance(chain, { address, fees, ethUsd }))
    this.#warnOfGas = createGasWarning(logger)
  }

  /** All wallets. It connects to the chain at the first use, and again after a failure. */
  open(): Promise<readonly Wallet[]> {
    const options = { state: this.#state, owner: this.#owner, leaseMs: this.#leaseMs }
    const open = (signer: WalletSigner) => openWallet(this.#chain, signer, options)
    this.#opening ??= Promise.all(this.#signers.map(open)).catch((error) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  /** Connects to the chain, if it answers, and repairs nonces from now on. @throws WrongChain */
  async start(): Promise<void> {
    await this.open().catch((error) => {
      if (error instanceof WrongChain) throw error
      this.#logger.warn({}, 'the chain RPC does not answer yet')
    })
    this.#repairs = startTicker({
      everyMs: this.#leaseMs / 5,
      work: () => this.#repair(),
      onError: (error) =>
        this.#logger.debug(
          { reason: error instanceof Error ? error.name : 'unknown' },
          'nonces could not be checked',
        ),
    })
    this.repair()
  }

  /** Repairs the nonces now, not at the next interval. */
  repair(): void {
    this.#repairs?.runNow()
  }

  /** The wallet that an order names, otherwise those with gas in turn. */
  choose(wallets: readonly Wallet[], order: SettleOrder | undefined): Wallet {
    const named = order && addressNamedBy(order.payment)
    const chosen = named ? wallets.find(({ signer }) => signer.address === named) : this.#next(wallets)
    if (!chosen) throw new RangeError('no wallet of this facilitator may settle the payment')
    return chosen
  }

  async health(): Promise<FacilitatorHealth> {
    const all = await Promise.all(this.#readGas.map((read) => read()))
    for (const [at, address] of this.addresses.entries())
      if (all[at]?.isHealthy) this.#low.delete(address)
      else this.#low.add(address)
    const best = all.find(({ isHealthy }) => isHealthy) ?? all[0]
    const gasLeft = all.flatMap(({ gasLeft = [] }) => gasLeft)
    this.#warnOfGas(gasLeft)
    return { isHealthy: false, detail: '', ...best, gasLeft }
  }

  async close(): Promise<void> {
    await this.#repairs?.stop()
  }

  #next(wallets: readonly Wallet[]): Wallet | undefined {
    const able = wallets.filter(({ signer }) => !this.#low.has(signer.address))
    this.#turn += 1
    return able[this.#turn % able.length] ?? wallets[0]
  }

  async #repair(): Promise<void> {
    const repaired = (await this.open()).map((wallet) => repairNonces(wallet, this.#fees))
    const rows = (await Promise.all(repaired)).reduce((sum, count) => sum + count, 0)
    if (rows > 0) this.#logger.warn({ rows }, 'resent transactions that were left behind')
  }
}

/** The wallet that an `upto` payment names; null for all others. */
export function addressNamedBy({ scheme, terms }: OfferedPayment): Address | null {
  return scheme === 'upto' ? (String(terms.extra.facilitatorAddress).toLowerCase() as Address) : null
}
