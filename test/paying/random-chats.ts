import assert from 'node:assert/strict'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { createRandom, type Random } from '@tollbook/devchain/demo-week/random'
import {
  toChunk,
  toCompletion,
  toEvent,
  toUsageChunk,
  type UpstreamAnswer,
} from '@tollbook/testing/models/chat-upstream'
import type { Customer } from '@tollbook/testing/paying/shop'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { readTransfers } from '../crash/transfers.ts'
import { type ChatShop, openChatShop, PATHS, PLAIN_PRICE, type Scheme } from './chat-shop.ts'

/** What the upstream does with a call, as the call's message specifies. */
type Plan = {
  readonly words: number
  readonly end: 'whole' | 'uncounted' | 'broken' | 'failed' | 'garbage'
}

type Wish = {
  readonly scheme: Scheme
  readonly stream: boolean
  readonly plan: Plan
  /** Words after which the client disconnects from a stream; null reads all. */
  readonly leavesAt: number | null
}

/** A call as its client saw it. */
type Seen = Wish & {
  readonly nonce: string
  readonly words: number
  readonly isWhole: boolean
  readonly status: number
}

export type Books = {
  readonly calls: number
  readonly charged: number
  /** Micro-USDC. */
  readonly sum: bigint
  /** Every discrepancy between clients, ledger and chain, in human-readable form. */
  readonly differences: readonly string[]
}

const PAYERS = 4
/** 40 dollars: three thousand calls at the plain price. */
const POCKET = 40_000_000n
const WORD = ' word'
const MAX_CHARGE = 28_233n

/**
 * Buys this many random chats, some broken by the upstream and some cut off by the client, and balances the
 * books.
 */
export async function buyRandomChats({
  calls,
  seed,
}: {
  readonly calls: number
  readonly seed: number
}): Promise<Books> {
  const chats = await openChatShop({ failures: calls * 10 })
  try {
    chats.upstream.answerWith(followPlan)
    const { chain } = chats.shop.seller
    const firstBlock = Number(await chain.rpc.call('eth_blockNumber')) + 1
    const random = createRandom(seed)
    const wishes = Array.from({ length: calls }, () => drawWish(random))
    const payers: Customer[] = []
    for (let at = 0; at < PAYERS; at += 1) payers.push(await chats.newPayer(POCKET))
    const challenges = {
      exact: await chats.shop.challenge(PATHS.exact, 'POST'),
      upto: await chats.shop.challenge(PATHS.upto, 'POST'),
    }
    const seen: Seen[] = []
    await Promise.all(
      payers.map(async (payer) => {
        for (let wish = wishes.pop(); wish; wish = wishes.pop()) {
          const payment = await signPayment(payer, challenges[wish.scheme])
          seen.push(await buy(chats, wish, payment))
        }
      }),
    )
    await chats.closedRows()
    const rows = await chats.shop.seller.state.db.selectFrom('paid_call').selectAll().execute()
    const transfers = await readTransfers(chain.rpc, devPayTo.utility, firstBlock)
    const left = await Promise.all(payers.map(({ address }) => chats.shop.balanceOf(address)))
    const spent = POCKET * BigInt(PAYERS) - left.reduce((sum, balance) => sum + balance, 0n)
    const differences: string[] = []
    for (const call of seen) {
      const own = transfers.filter(({ nonce }) => nonce === call.nonce)
      const row = rows.find(({ nonce }) => nonce === call.nonce)
      const issue = findIssue(call, row, own)
      if (issue)
        differences.push(`${issue}: ${JSON.stringify({ ...call, row: row?.state, charge: row?.charge })}`)
    }
    const sum = transfers.reduce((total, { amount }) => total + amount, 0n)
    const booked = rows.reduce((total, { charge }) => total + BigInt(charge ?? 0), 0n)
    if (sum !== spent || booked !== sum) differences.push(`chain ${sum}, wallets ${spent}, ledger ${booked}`)
    return { calls, charged: transfers.length, sum, differences }
  } finally {
    await chats.close()
  }
}

type Row = { readonly state: string; readonly charge: number | null; readonly tx_hash: string | null }
type Moved = { readonly amount: bigint; readonly transaction: string }

/** The discrepancies of a call, from what its client saw, its row and its transfers. */
function findIssue(call: Seen, row: Row | undefined, moved: readonly Moved[]): string | null {
  const [transfer, ...others] = moved
  if (others.length > 0) return 'charged twice'
  const isBooked = row?.state === 'settled' || row?.state === 'settled-unfinished'
  if (isBooked !== (transfer !== undefined)) return 'ledger and chain differ'
  if (transfer && (BigInt(row?.charge ?? 0) !== transfer.amount || row?.tx_hash !== transfer.transaction))
    return 'ledger and chain differ in the amount or the transaction'
  if (call.words > 0 && !transfer) return 'given and not charged'
  if (call.status >= 400 && transfer) return 'refused and charged'
  if (!transfer) return null
  if (call.scheme === 'exact') return transfer.amount === PLAIN_PRICE ? null : 'not at its price'
  if (transfer.amount < 1_000n || transfer.amount > MAX_CHARGE) return 'outside its bounds'
  // 100 * 1 + words * 40, and 1,000 at least.
  const cost = 100 + 40 * call.plan.words
  if (call.isWhole && call.plan.end === 'whole' && Number(transfer.amount) !== Math.max(1_000, cost))
    return 'not at what its upstream counted'
  return null
}

async function buy({ ask }: ChatShop, wish: Wish, payment: string): Promise<Seen> {
  const leaving = new AbortController()
  const nonce = nonceOf(payment)
  const body = { messages: [{ role: 'user', content: JSON.stringify(wish.plan) }], stream: wish.stream }
  let text = ''
  let status = 0
  const count = () => text.split(WORD).length - 1
  try {
    const response = await ask(wish.scheme, { payment, body, signal: leaving.signal })
    status = response.status
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true })
      if (wish.stream && wish.leavesAt !== null && count() >= wish.leavesAt) leaving.abort()
    }
  } catch {
    // Cut by the service or by the client.
  }
  const isWhole = wish.stream ? text.endsWith('[DONE]\n\n') : status === 200
  return { ...wish, nonce, words: status === 200 ? count() : 0, isWhole, status }
}

function drawWish(random: Random): Wish {
  const end = random() < 0.5 ? 'whole' : ENDS[Math.floor(random() * ENDS.length)]
  assert.ok(end)
  const words = 1 + Math.floor(random() * 60)
  return {
    scheme: random() < 0.7 ? 'upto' : 'exact',
    stream: random() < 0.7,
    plan: { words, end },
    leavesAt: random() < 0.25 ? 1 + Math.floor(random() * words) : null,
  }
}

const ENDS = ['uncounted', 'broken', 'failed', 'garbage'] as const

/** An upstream that does what the message of a call specifies. */
const followPlan: UpstreamAnswer = ({ body }, response) => {
  const { words, end } = JSON.parse(body.messages[0].content) as Plan
  if (end === 'failed') return void response.writeHead(500).end()
  if (end === 'garbage') return void response.writeHead(200).end('<html>')
  const usage = { prompt_tokens: 100, completion_tokens: words, total_tokens: 100 + words }
  if (!body.stream) {
    const answer = toCompletion({ content: WORD.repeat(words) }, 'stop', usage)
    if (end === 'broken') return void response.writeHead(200, { 'content-length': '9' }).end().destroy()
    const told = end === 'whole' ? answer : { ...answer, usage: null }
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < words; at += 1) response.write(toEvent(toChunk({ content: WORD })))
  if (end === 'broken') return void response.end()
  response.write(toEvent(toChunk({}, 'stop')))
  if (end === 'whole') response.write(toEvent(toUsageChunk(100, words)))
  response.end('data: [DONE]\n\n')
}

/** The nonce of a payment as the ledger has it, 32 bytes. */
function nonceOf(payment: string): string {
  const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString())
  const nonce = payload.authorization?.nonce ?? payload.permit2Authorization.nonce
  return `0x${BigInt(nonce).toString(16).padStart(64, '0')}`
}
