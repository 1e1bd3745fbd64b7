import { setTimeout as wait } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { Attack } from './attack.ts'
import { usdOfGas } from './prices.ts'
import { type Answer, countAnswers, send, signFor } from './send.ts'
import type { Wallet, World } from './world.ts'

const WALLETS = 4
const MAX_WALLETS = 10
const CALLS_PER_WALLET = 8
const PRICE = 5_000n

/** The block that holds the wallet's settlements begins with a transfer that empties the wallet. */
export const drainInBlock: Attack = {
  name: 'drain-in-block',
  summary: 'wallets with 8 writes under way are emptied at the front of the block that settles them',
  async run(world, note) {
    const answers: Answer[] = []
    const from = world.newAddress()
    const purse = PRICE * BigInt(CALLS_PER_WALLET)
    let wallet = await world.newWallet(purse)
    let [sellerGas, attackerGas] = [0n, 0n]
    let [drains, late] = [0, 0]
    for (let at = 1; at <= MAX_WALLETS && drains < WALLETS; at += 1) {
      const next = await world.newWallet(0n)
      let answered: readonly Answer[] = []
      const spent = await world.measure(async () => {
        answered = await drainOnce(world, { wallet, heir: next.address, purse, from })
      })
      note(`wallet ${at}: ${countAnswers(answered)}`)
      await world.fill(next.address, purse)
      wallet = next
      // A block of the dev chain was mined before the drain and everything was paid: no attack.
      if (spent.received > 0n) {
        late += 1
        continue
      }
      drains += 1
      answers.push(...answered)
      sellerGas += spent.sellerGas
      attackerGas += spent.attackerGas
    }
    return {
      kind: 'costs',
      attackerUsd: usdOfGas(attackerGas),
      sellerUsd: usdOfGas(sellerGas),
      receivedUsd: 0,
      setting: {
        drains,
        tooLate: late,
        calls: answers.length,
        answers: countAnswers(answers),
        sellerGas: Number(sellerGas),
        attackerGas: Number(attackerGas),
      },
    }
  },
}

type Drain = {
  readonly wallet: Wallet
  /** Receives the money. */
  readonly heir: Hex
  readonly purse: bigint
  readonly from: string
}

async function drainOnce(world: World, { wallet, heir, purse, from }: Drain): Promise<readonly Answer[]> {
  const url = `${world.utility}/api/store/loot`
  const order = { url, method: 'POST', body: '{"title":"row"}', from }
  const payments: string[] = []
  for (let call = 0; call < CALLS_PER_WALLET; call += 1) {
    const payment = await signFor(order, wallet)
    if (payment !== null) payments.push(payment)
  }
  const calls = payments.map((payment) => () => send(order, payment))
  return raceInBlock(world, calls, () => wallet.transfer(heir, purse))
}

/** The queue counts as complete when no further settlement arrives for this long. */
const QUIET_MS = 100

/** Sends the calls while mining is paused, and mines once their settlements are queued behind the drain. */
async function raceInBlock(
  { rpc }: World,
  calls: readonly (() => Promise<Answer>)[],
  drain: () => Promise<unknown>,
): Promise<readonly Answer[]> {
  // The dev chain mines at the start of each second.
  await wait(1_050 - (Date.now() % 1_000))
  await rpc.call('evm_setAutomine', [false])
  let isAnswered = false
  const answers = Promise.all(calls.map((call) => call())).finally(() => {
    isAnswered = true
  })
  try {
    let pending = 0
    let sinceMs = performance.now()
    while (!isAnswered && (pending === 0 || performance.now() - sinceMs < QUIET_MS)) {
      const now = Number((await rpc.call<{ readonly pending: Hex }>('txpool_status')).pending)
      if (now !== pending) sinceMs = performance.now()
      pending = now
      await wait(5)
    }
    if (!isAnswered) {
      await drain()
      await rpc.call('evm_mine')
    }
  } finally {
    await rpc.call('evm_setAutomine', [true])
  }
  return answers
}
