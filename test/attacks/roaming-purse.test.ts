import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { State } from '@tollbook/cli/commands/state/state'
import { eventStream } from '@tollbook/endpoints/answer'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import type { InferencePorts } from '@tollbook/inference/ports'
import { createInferenceService } from '@tollbook/inference/service'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { METERED_TIERS } from '@tollbook/models/tiers/tier-table'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import {
  startChatUpstream,
  type TestUpstream,
  toChunk,
  toEvent,
} from '@tollbook/testing/models/chat-upstream'
import { createWorld, type Process, type World } from '@tollbook/testing/payments/gate-world'
import { type Payer, signPayment } from '@tollbook/testing/payments/sign-payment'
import { isExploring } from '@tollbook/testing/property'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { decodePaymentRequiredHeader } from '@x402/core/http'

/**
 * Micro-USDC. A purse that moves to a fresh wallet pays for a transfer of USDC, at least 50,000 gas; at 0.005
 * gwei and 3,300 dollars per ETH that is 50,000 x 0.005e-9 x 3,300 = 0.000825 dollars. The content it gets
 * unpaid must be worth less.
 */
const BOUND_PER_WALLET = 800n
const PURSE = 1_000_000n
/** Fresh wallets through which a purse moves. */
const WALLETS = isExploring ? 1_000 : 40

let state: State
let world: World
let upstream: TestUpstream
before(async () => {
  state = await openTestState()
  world = createWorld(state)
  upstream = await startChatUpstream()
})
after(async () => {
  world.close()
  upstream.close()
  await state.close()
})

/** Moves one wallet's balance to another. */
function move(from: Payer, to: Payer): void {
  const { chain } = world
  chain.fund(to.address, chain.balanceOf(to.address) + chain.balanceOf(from.address))
  chain.fund(from.address, 0n)
}

type Request = { readonly path: string; readonly body?: string }

/** Opens a stream and returns what arrives. */
async function readStream(process: Process, payer: Payer, { path, body }: Request): Promise<string> {
  const init = body ? { method: 'POST', body } : {}
  const headers = { 'content-type': 'application/json' }
  const unpaid = await process.fetch(path, { ...init, headers })
  const terms = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '')
  const now = Math.floor(world.now() / 1000)
  const payment = await signPayment(payer, terms as unknown as PaymentRequired, { scheme: 'upto', now })
  const response = await process.fetch(path, {
    ...init,
    headers: { ...headers, 'payment-signature': payment },
  })
  if (response.status !== 200 || !response.body) return ''
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body) text += decoder.decode(chunk)
  } catch {
    // The stream was cut: what arrived before counts.
  }
  return text
}

/** Reads streams of `wallets` fresh wallets; the same purse moves through them before anything settles. */
async function roam(
  process: Process,
  { wallets, streams, requestOf }: { wallets: number; streams: number; requestOf: (at: number) => Request },
): Promise<readonly string[]> {
  const settledBefore = world.chain.transfers.length
  const texts: string[] = []
  let payer = world.newPayer(PURSE)
  for (let at = 0; at < wallets; at += 1) {
    const next = world.newPayer(0n)
    const current = payer
    process.link.pause = async (place) => {
      if (place === 'settle') move(current, next)
    }
    texts.push(
      ...(await Promise.all(
        Array.from({ length: streams }, () => readStream(process, current, requestOf(at))),
      )),
    )
    move(current, next)
    payer = next
  }
  process.link.pause = async () => {}
  assert.equal(world.chain.transfers.length, settledBefore, 'nothing was paid')
  assert.equal(world.chain.balanceOf(payer.address), PURSE)
  return texts
}

const count = (text: string, word: string) => BigInt(text.split(word).length - 1)
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)

/** 40 words of 100 micro-USDC each, 4,000 in all. */
function sellWords(process: Process): void {
  process.desk.work = () =>
    eventStream(
      (async function* () {
        for (let at = 1n; at <= 40n; at += 1n)
          yield { bytes: new TextEncoder().encode('word '), isContent: true, chargeSoFar: at * 100n }
      })(),
    )
}

const METERED: Request = { path: '/api/metered?word=hi' }

test('one purse that moves through many fresh wallets gets at most 0.0008 dollars of content from each', async () => {
  const process = await world.startProcess()
  sellWords(process)
  const texts = await roam(process, { wallets: WALLETS, streams: 1, requestOf: () => METERED })
  const unpaid = sum(texts.map((text) => count(text, 'word') * 100n))
  assert.ok(unpaid <= BigInt(WALLETS) * BOUND_PER_WALLET, `${unpaid} micro-USDC of content were not paid`)
  // All that an unknown wallet gets live: the seven words below the bound that are not among the last eight
  // of the text.
  assert.ok(unpaid > 0n)
})

test('concurrent streams share the live allowance of their wallet', async () => {
  const process = await world.startProcess()
  sellWords(process)
  const texts = await roam(process, { wallets: 20, streams: 10, requestOf: () => METERED })
  for (let wallet = 0; wallet < 20; wallet += 1) {
    const own = texts.slice(wallet * 10, wallet * 10 + 10)
    assert.ok(sum(own.map((text) => count(text, 'word') * 100n)) <= BOUND_PER_WALLET)
  }
})

test('a wallet that pays and then stops paying gets at most a tenth more than it paid for', async () => {
  const process = await world.startProcess()
  sellWords(process)
  for (const paidStreams of [1, 5, 20]) {
    const payer = world.newPayer(PURSE)
    for (let at = 0; at < paidStreams; at += 1)
      assert.equal(count(await readStream(process, payer, METERED), 'word'), 40n, 'it gets all it pays for')
    process.link.pause = async (place) => {
      if (place === 'settle') world.chain.fund(payer.address, 0n)
    }
    const allowed = BOUND_PER_WALLET + (BigInt(paidStreams) * 4_000n) / 10n
    const unpaid = count(await readStream(process, payer, METERED), 'word') * 100n
    assert.ok(unpaid <= allowed, `${unpaid} of ${allowed}`)
    process.link.pause = async () => {}
    // A failed settlement removes all of it.
    world.chain.fund(payer.address, PURSE)
    process.link.pause = async (place) => {
      if (place === 'settle') world.chain.fund(payer.address, 0n)
    }
    assert.equal(count(await readStream(process, payer, METERED), 'word'), 0n)
    process.link.pause = async () => {}
  }
})

/** An endpoint of the inference service, from those of the world. */
function withPorts(endpoint: Endpoint, ports: InferencePorts): Endpoint {
  return {
    ...endpoint,
    check: (input, _, files) => endpoint.check?.(input, ports, files) ?? [],
    availability: () => endpoint.availability?.(ports) ?? { isAvailable: true },
    handle: (call) => endpoint.handle({ ...call, ports }),
  }
}

/** The words of a chat's chunks, or of the deltas of a response, whose last events repeat its text. */
function countWords(text: string): bigint {
  const pieces = text.split('\n\n').filter((event) => !/"type":"(?!response.output_text.delta)/.test(event))
  return count(pieces.join(''), ' word')
}

test('each metered route of the catalogue keeps a purse that moves within the bound', async () => {
  const upstreams = [{ base_url: upstream.url, model: 'm' }]
  const tiers = Object.fromEntries(METERED_TIERS.map(({ name }) => [name, { upstreams }]))
  const opened = await openTiers(tierFile.parse({ tiers }), { userAgent: 'test', health: patientHealth })
  const ports = inferencePorts({ tiers: opened })
  const service = await createInferenceService({ baseUrl: 'https://gate.example', ports })
  const routes = service.endpoints.filter(
    ({ pricing, input }) => pricing.kind === 'metered' && Object.hasOwn(input.shape, 'stream'),
  )
  // Chat at two paths, and responses.
  assert.equal(routes.length, 3 * METERED_TIERS.length)
  const process = await world.startProcess(
    {},
    undefined,
    routes.map((endpoint) => withPorts(endpoint, ports)),
  )
  for (const { path } of routes) {
    const tier = METERED_TIERS.find(({ name }) => path.includes(`/${name}/`))
    assert.ok(tier?.upto, path)
    // ` word` is one token of o200k; nearly as many as the tier allows, about 0.0013 to 0.0088 dollars.
    const words = tier.upto.outputTokens - 96
    upstream.answerWith(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = toEvent(toChunk({ content: ' word'.repeat(16) }))
      for (let at = 0; at < words; at += 16)
        await new Promise<void>((resolve) => response.write(chunk, () => setImmediate(resolve)))
      response.end(`${toEvent(toChunk({}, 'stop'))}data: [DONE]\n\n`)
    })
    const isChat = path.includes('/chat/')
    const max = tier.upto.outputTokens
    const body = JSON.stringify(
      isChat
        ? { messages: [{ role: 'user', content: 'Hi' }], stream: true, max_tokens: max }
        : { input: 'Hi', stream: true, max_output_tokens: max },
    )
    const texts = await roam(process, { wallets: 2, streams: 1, requestOf: () => ({ path, body }) })
    for (const text of texts) {
      // Micro-USDC per million tokens, in dollars per million.
      const perMillion = Number(tier.upto.rates.output) * 1_000_000
      const unpaid = (Number(countWords(text)) * perMillion) / 1_000_000
      assert.ok(unpaid <= Number(BOUND_PER_WALLET), `${path}: ${unpaid} micro-USDC were not paid`)
    }
    const honest = world.newPayer(PURSE)
    const whole = await readStream(process, honest, { path, body })
    assert.ok(Number(countWords(whole)) >= words, `${path}: who pays gets the whole answer`)
    assert.match(whole, isChat ? /data: \[DONE\]\n\n$/ : /"type":"response.completed".*\n\n$/)
  }
})
