import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import {
  sendJson,
  sendPieces,
  toChunk,
  toCompletion,
  toEvent,
  toUsageChunk,
  type UpstreamAnswer,
} from '@tollbook/testing/models/chat-upstream'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import {
  type ChatShop,
  INPUT_MICRO,
  MIN_CHARGE,
  OUTPUT_MICRO,
  openChatShop,
  PLAIN_PRICE,
  type Scheme,
} from './chat-shop.ts'

const messages = [{ role: 'user', content: 'say it again and again' }]
/** Tokens that a model reads, as counted if the upstream does not count. */
const INPUT = ['{"role":"user"}', '\nsay', ' it', ' again', ' and', ' again', '\n'].reduce(
  (sum, run) => sum + countTokens(run),
  0,
)
/** Chunks, each of which is one token of o200k. */
const WORD = ' again'
const WORDS = 30
const words = Array.from({ length: WORDS }, () => toEvent(toChunk({ content: WORD })))
/** Timeouts for a silent upstream: before its first word, and between two words. */
const HASTY = { first_token_ms: 300, total_ms: 600 }
const HASTY_BETWEEN = { idle_ms: 1_500 }

let chats: ChatShop
before(async () => {
  chats = await openChatShop()
})
after(() => chats.close())

/** Cost of this many words if only we counted them. */
function priceOf(scheme: Scheme, count: number): bigint {
  if (count === 0) return 0n
  if (scheme === 'exact') return PLAIN_PRICE
  const cost = BigInt(INPUT) * INPUT_MICRO + BigInt(count) * OUTPUT_MICRO
  return cost < MIN_CHARGE ? MIN_CHARGE : cost
}

/** Never answers; reports when it is called and when the connection closes. */
function silence() {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const answer: UpstreamAnswer = (_, response) => {
    once(response, 'close').then(() => left.resolve())
    asked.resolve()
  }
  return { answer, asked: asked.promise, left: left.promise }
}

/** Sends all words, then nothing more and no end. */
function hanging() {
  const left = Promise.withResolvers<void>()
  const answer: UpstreamAnswer = async (call, response) => {
    once(response, 'close').then(() => left.resolve())
    await sendPieces(words, false)(call, response)
  }
  return { answer, left: left.promise }
}

/** Reads a stream until it has this many words, or ends; returns its text and whether it was cut. */
async function read(response: Response, most = Number.POSITIVE_INFINITY) {
  const decoder = new TextDecoder()
  let text = ''
  const count = () => text.split(`"content":"${WORD}"`).length - 1
  try {
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true })
      if (count() >= most) break
    }
    return { text, count: count(), isCut: false }
  } catch {
    return { text, count: count(), isCut: true }
  }
}

type Case = { readonly scheme: Scheme; readonly stream: boolean }
const BOTH: readonly Case[] = (['exact', 'upto'] as const).flatMap((scheme) =>
  [true, false].map((stream) => ({ scheme, stream })),
)
const STREAMS = BOTH.filter(({ stream }) => stream)

/** Buys once and compares what was delivered with what the chain charged and the ledger records. */
async function charged(act: (payer: Awaited<ReturnType<ChatShop['newPayer']>>) => Promise<void>) {
  const payer = await chats.newPayer()
  const before = await chats.shop.balanceOf(payer.address)
  await act(payer)
  const rows = (await chats.closedRows()).filter((row) => row.payer === payer.address.toLowerCase())
  const taken = before - (await chats.shop.balanceOf(payer.address))
  const booked = rows.reduce((sum, { charge }) => sum + BigInt(charge ?? 0), 0n)
  assert.equal(booked, taken, 'ledger and chain agree')
  return { taken, states: rows.map(({ state }) => state) }
}

for (const { scheme, stream } of BOTH) {
  const name = `${scheme}, ${stream ? 'stream' : 'whole'}`
  const body = { messages, stream }

  test(`${name}: a client that disconnects before the first token pays nothing, and the upstream call is aborted`, async () => {
    await chats.restock()
    const { answer, asked, left } = silence()
    chats.upstream.answerWith(answer)
    const { taken, states } = await charged(async (payer) => {
      const leaving = new AbortController()
      const payment = await chats.sign(payer, scheme)
      const response = chats.ask(scheme, { payment, body, signal: leaving.signal })
      await asked
      leaving.abort()
      await assert.rejects(response)
      await left
    })
    assert.deepEqual([taken, states], [0n, ['released']])
  })

  const issues: readonly (readonly [what: string, answer: UpstreamAnswer, status: number])[] = [
    ['hangs', () => {}, 504],
    ['sends garbage', (_, response) => void response.writeHead(200).end('<html>'), 502],
    [
      'sends garbage as events',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {nothing\n\n'),
      502,
    ],
    ['closes at once', (_, response) => void response.destroy(), 502],
    ['answers 500', sendJson({ error: { message: 'no' } }, 500), 502],
    ['is busy', sendJson({ error: { message: 'wait' } }, 429, { 'retry-after': '7' }), 503],
  ]
  for (const [what, answer, status] of issues) {
    test(`${name}: an upstream that ${what} causes no charge`, async () => {
      await chats.restock(what === 'hangs' ? HASTY : {})
      chats.upstream.answerWith(answer)
      const { taken, states } = await charged(async (payer) => {
        const response = await chats.ask(scheme, { payment: await chats.sign(payer, scheme), body })
        const { error } = (await response.json()) as { error: { type: string } }
        assert.deepEqual([response.status, error.type], [status, 'server_error'])
        assert.equal(response.headers.get('payment-response'), null)
        if (status === 503) assert.equal(response.headers.get('retry-after'), '7')
      })
      assert.deepEqual([taken, states], [0n, ['released']])
    })
  }

  test(`${name}: once all upstreams are known to be down, no payment is requested or accepted`, async () => {
    await chats.restock()
    const { taken, states } = await charged(async (payer) => {
      const payment = await chats.sign(payer, scheme)
      await chats.restock({ base_url: 'http://127.0.0.1:1/v1' })
      for (const given of [payment, undefined]) {
        const response = await chats.ask(scheme, { payment: given, body })
        assert.equal(response.status, 503)
        assert.equal(response.headers.get('payment-required'), null)
      }
    })
    assert.deepEqual([taken, states], [0n, []])
  })

  test(`${name}: an answer is charged as its upstream counted`, async () => {
    await chats.restock()
    const usage = { prompt_tokens: 20, completion_tokens: 90, total_tokens: 110 }
    chats.upstream.answerWith(
      stream
        ? sendPieces([
            ...words,
            toEvent(toChunk({}, 'stop')),
            toEvent(toUsageChunk(20, 90)),
            'data: [DONE]\n\n',
          ])
        : sendJson(toCompletion({ content: WORD.repeat(WORDS) }, 'stop', usage)),
    )
    const { taken, states } = await charged(async (payer) => {
      const response = await chats.ask(scheme, { payment: await chats.sign(payer, scheme), body })
      assert.equal(response.status, 200)
      const text = await response.text()
      assert.equal(text.split(WORD).length - 1, WORDS)
      if (stream) assert.ok(text.endsWith('data: [DONE]\n\n'))
    })
    // 20 * 1 + 90 * 40
    assert.deepEqual([taken, states], [scheme === 'exact' ? PLAIN_PRICE : 3_620n, ['settled']])
  })
}

for (const { scheme } of STREAMS) {
  const body = { messages, stream: true }

  test(`${scheme}: a client that disconnects mid-stream pays for what was delivered, and the upstream call is aborted`, async () => {
    // A charged stream at a price is read on for a retry, until its upstream is silent for too long.
    await chats.restock(scheme === 'exact' ? HASTY_BETWEEN : {})
    const { answer, left } = hanging()
    chats.upstream.answerWith(answer)
    const { taken } = await charged(async (payer) => {
      await chats.makeRegular(payer)
      const leaving = new AbortController()
      const payment = await chats.sign(payer, scheme)
      const response = await chats.ask(scheme, { payment, body, signal: leaving.signal })
      const { count } = await read(response, WORDS)
      assert.equal(count, WORDS)
      leaving.abort()
      await left
    })
    assert.equal(taken, priceOf(scheme, WORDS))
  })

  test(`${scheme}: a client that disconnects after the last word pays for all of them`, async () => {
    await chats.restock()
    const isOver = Promise.withResolvers<void>()
    chats.upstream.answerWith(async (call, response) => {
      await sendPieces([...words, toEvent(toChunk({}, 'stop'))], false)(call, response)
      await isOver.promise
      response.end(`${toEvent(toUsageChunk(20, 90))}data: [DONE]\n\n`)
    })
    const { taken } = await charged(async (payer) => {
      await chats.makeRegular(payer)
      const leaving = new AbortController()
      const payment = await chats.sign(payer, scheme)
      const response = await chats.ask(scheme, { payment, body, signal: leaving.signal })
      await read(response, WORDS)
      leaving.abort()
      isOver.resolve()
    })
    // It disconnects before the counts of the upstream arrive, or with them: 20 * 1 + 90 * 40.
    const fair = [priceOf(scheme, WORDS), scheme === 'exact' ? PLAIN_PRICE : 3_620n]
    assert.ok(fair.includes(taken), `${taken}`)
  })

  const breaks: readonly (readonly [what: string, answer: UpstreamAnswer])[] = [
    ['hangs', hanging().answer],
    ['closes', sendPieces(words)],
    ['sends garbage', sendPieces([...words, 'data: {nothing\n\n'])],
    ['tells an error', sendPieces([...words, toEvent({ error: { message: 'secret' } })])],
  ]
  for (const [what, answer] of breaks) {
    test(`${scheme}: an upstream that ${what} mid-stream is reported; what was delivered is charged once, and one full answer is still delivered`, async () => {
      await chats.restock(what === 'hangs' ? HASTY_BETWEEN : {})
      chats.upstream.answerWith(answer)
      const { taken, states } = await charged(async (payer) => {
        const payment = await chats.sign(payer, scheme)
        const response = await chats.ask(scheme, { payment, body })
        const { text, count, isCut } = await read(response)
        assert.deepEqual([count, isCut], [WORDS, true])
        assert.match(text, /data: \{"error":\{"message":"The model broke off/)
        assert.doesNotMatch(text, /secret|\[DONE\]/)
        if (scheme === 'upto') assert.match(text, /\n: payment-response \S+\n\n$/)
        await chats.closedRows()
        await chats.restock()
        chats.upstream.answerWith(sendPieces([...words, toEvent(toChunk({}, 'stop')), 'data: [DONE]\n\n']))
        const again = await read(await chats.ask(scheme, { payment, body }))
        assert.deepEqual([again.count, again.isCut], [WORDS, false])
      })
      assert.deepEqual([taken, states], [priceOf(scheme, WORDS), ['settled']])
    })
  }
}
