import { setTimeout as wait } from 'node:timers/promises'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { toChunk, toEvent, toUsageChunk, type UpstreamAnswer } from '@tollbook/testing/models/chat-upstream'
import { encodeFunctionData, maxUint256 } from 'viem'
import type { Attack } from './attack.ts'
import { usdOfGas, usdOfUsdc } from './prices.ts'
import { type Answer, countAnswers, send, signFor } from './send.ts'
import { TIER, type World } from './world.ts'

const WALLETS = 4
const STREAMS = 10
const CHUNKS = 40
const WORDS_PER_CHUNK = 100
const GAP_MS = 60
/** The purse moves to the next wallet at the last chunks, before the stream is charged. */
const LEAVES_AT = CHUNKS - 2
const PURSE = 400_000n

/** One purse backs the streams of many wallets and is moved away before any of them is charged. */
export const roamingPurse: Attack = {
  name: 'roaming-purse',
  summary: '10 metered streams at a time; the purse moves to a fresh wallet with their last words',
  async run(world, note) {
    const answers: Answer[] = []
    const from = world.newAddress()
    const path = `/v1/chat/completions/_t/${TIER}/upto`
    const content = 'Say it all.'
    const max_tokens = CHUNKS * WORDS_PER_CHUNK
    const body = JSON.stringify({ messages: [{ role: 'user', content }], stream: true, max_tokens })
    const order = { url: `${world.inference}${path}`, method: 'POST', body, from }
    world.upstream.answerWith(streamWords)
    const usdPerToken = await readTokenPrice(world, from)
    let wallet = await world.newWallet(PURSE)
    const spent = await world.measure(async () => {
      for (let at = 0; at < WALLETS; at += 1) {
        const next = await world.newWallet(0n)
        const args = [CONTRACTS.permit2, maxUint256] as const
        const data = encodeFunctionData({ abi: devUsdcAbi, functionName: 'approve', args })
        await wallet.send({ to: BASE.usdc, data, gas: 100_000n })
        const payments: string[] = []
        for (let stream = 0; stream < STREAMS; stream += 1) {
          const payment = await signFor(order, wallet, { scheme: 'upto' })
          if (payment !== null) payments.push(payment)
        }
        let moved: Promise<unknown> | undefined
        const answered = await Promise.all(
          payments.map((payment) => {
            let chunks = 0
            return send(order, payment, (text) => {
              chunks += text.split('word word').length > 1 ? 1 : 0
              // A call that is refused for lack of funds does not matter.
              if (chunks >= LEAVES_AT) moved ??= wallet.transfer(next.address, PURSE).catch(() => {})
            })
          }),
        )
        await moved
        note(`wallet ${at + 1}: ${countAnswers(answered)}`)
        answers.push(...answered)
        await world.fill(next.address, PURSE)
        wallet = next
      }
    })
    const words = answers.reduce((sum, { text }) => sum + (text.match(/\bword\b/g)?.length ?? 0), 0)
    return {
      kind: 'costs',
      attackerUsd: usdOfGas(spent.attackerGas) + usdOfUsdc(spent.received),
      sellerUsd: usdOfGas(spent.sellerGas) + words * usdPerToken,
      receivedUsd: usdOfUsdc(spent.received),
      setting: {
        wallets: WALLETS,
        streams: answers.length,
        answers: countAnswers(answers),
        tokens: words,
        dollarsPerMillionTokens: Number((usdPerToken * 1e6).toPrecision(6)),
        sellerGas: Number(spent.sellerGas),
        attackerGas: Number(spent.attackerGas),
      },
    }
  },
}

const streamWords: UpstreamAnswer = async (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let chunk = 0; chunk < CHUNKS && !response.closed; chunk += 1) {
    response.write(toEvent(toChunk({ content: 'word '.repeat(WORDS_PER_CHUNK) })))
    await wait(GAP_MS)
  }
  response.write(toEvent(toChunk({}, 'stop')))
  response.end(`${toEvent(toUsageChunk(10, CHUNKS * WORDS_PER_CHUNK))}data: [DONE]\n\n`)
}

/** The tier's price per output token, in dollars. */
async function readTokenPrice(world: World, from: string): Promise<number> {
  const { text } = await send({ url: `${world.inference}/v1/models`, from })
  type Model = { readonly id: string; readonly pricing?: { readonly rates?: { readonly output?: string } } }
  const { data } = JSON.parse(text) as { data: readonly Model[] }
  const perMillion = data.find(({ id, pricing }) => id.includes(TIER) && pricing?.rates)?.pricing?.rates
    ?.output
  if (perMillion === undefined) throw new Error(`${TIER} has no rates: ${text.slice(0, 500)}`)
  return Number(perMillion) / 1e6
}
