import type { Address, Hex } from '@tollbook/chain/hex'
import { EVIDENCE } from '@tollbook/verify/chain/payment'
import type { IndirectPayment } from '@tollbook/verify/screen/flow/direct-moves'
import type { Move } from '@tollbook/verify/screen/flow/follow-shares'
import type { Candidate } from '@tollbook/verify/screen/screen'
import { gasUsd, interestUsd, PRICES } from './prices.ts'

/** A simulated chain of one week: every transfer of USDC, which of them are payments, and what was burned. */
export type Town = {
  readonly moves: Move[]
  readonly payments: Candidate[]
  /** Claims from payment channels, which are among the payments, and their escrow. */
  readonly indirect: { readonly payments: IndirectPayment[]; readonly custodians: ReadonlySet<Address> }
  /** Wallets that many people share. */
  readonly hubs: Set<Address>
  /** Dollars that are gone: gas, fees, interest. */
  burnedUsd: number
  wallet(): Address
  /** A transfer of dollars, alone in its transaction unless it is together with the last one. */
  send(from: Address, to: Address, usd: number, options?: Together): void
  /** A payment by x402. */
  pay(buyer: Address, merchant: Address, usd: number, options?: Together): void
  /** A payment over a channel: a deposit, a claim and its settlement. @param from who deposits */
  payOverChannel(from: Address, buyer: Address, merchant: Address, usd: number): void
  /** Counts fees, and interest on capital that is locked for some hours. */
  burn(usd: number): void
  lock(usd: number, hours: number): void
}

/** In the transaction of the move before, whose gas is counted elsewhere. */
export type Together = { readonly together?: boolean }

export const EXCHANGE = toWallet(1)
export const POOL = toWallet(2)
export const BRIDGE = toWallet(3)
export const ESCROW = toWallet(4)

export function buildTown(): Town {
  let wallets = 10
  let transactions = 0
  let logs = 0
  const moves: Move[] = []
  const payments: Candidate[] = []
  const move = (sender: Address, recipient: Address, usd: number, { together }: Together): Move => {
    if (!together) transactions += 1
    const transaction: Hex = `0x${transactions.toString(16).padStart(64, '0')}`
    const amount = BigInt(Math.round(usd * 1e6))
    const made = { blockNumber: transactions, logIndex: logs, transaction, sender, recipient, amount }
    logs += 1
    moves.push(made)
    return made
  }
  const town: Town = {
    moves,
    payments,
    indirect: { payments: [], custodians: new Set([ESCROW]) },
    hubs: new Set([EXCHANGE, POOL, BRIDGE, ESCROW]),
    burnedUsd: 0,
    wallet: () => toWallet(++wallets),
    send(from, to, usd, options = {}) {
      move(from, to, usd, options)
      if (!options.together) town.burn(gasUsd(PRICES.transferGas))
    },
    pay(buyer, merchant, usd, options = {}) {
      const { blockNumber, logIndex, amount } = move(buyer, merchant, usd, options)
      payments.push({ buyer, merchant, amount, blockNumber, logIndex })
      if (!options.together) town.burn(gasUsd(PRICES.paymentGas))
    },
    payOverChannel(from, buyer, merchant, usd) {
      move(from, ESCROW, usd, {})
      // The log of the claim is in the same transaction.
      const { blockNumber, transaction, amount } = move(ESCROW, merchant, usd, {})
      const claim = { blockNumber, transaction, logIndex: logs, buyer, merchant, amount }
      logs += 1
      payments.push(claim)
      town.indirect.payments.push({ ...claim, evidence: EVIDENCE.claim })
      town.burn(gasUsd(PRICES.depositGas + PRICES.claimGas))
    },
    burn(usd) {
      town.burnedUsd += usd
    },
    lock(usd, hours) {
      town.burn(interestUsd(usd, hours))
    },
  }
  return town
}

function toWallet(at: number): Address {
  return `0x${at.toString(16).padStart(40, '0')}`
}
