import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type CallToolResult, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { withoutSettings } from '@tollbook/testing/commands/running-command'
import { CENT } from '@tollbook/testing/paying/desk'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { exactTerms } from '@tollbook/testing/payments/offered-payment'
import { isExploring } from '@tollbook/testing/property'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { encodePaymentRequiredHeader } from '@x402/core/http'

const MAIN = join(import.meta.dirname, '../../apps/cli/src/main.ts')
const ACCOUNT = 5

let shop: Shop
before(async () => {
  shop = await openShop()
})
after(() => shop?.close())

const funds = () => shop.balanceOf(DEV_CLIENT_ADDRESSES[ACCOUNT])

type Person = { action: 'accept' | 'decline'; readonly asked: string[] }

/** How an agent starts the command. */
function toProcess(words: readonly string[]) {
  const { port } = new URL(shop.seller.chain.rpcUrl)
  const settings = { TOLLBOOK_DATA_DIR: temporaryFolder('mcp'), TOLLBOOK_DEVCHAIN_PORT: port }
  return {
    command: process.execPath,
    args: [MAIN, 'mcp', ...words, '--account', `${ACCOUNT}`],
    env: { ...(withoutSettings() as Record<string, string>), ...settings },
    stderr: 'pipe' as const,
  }
}

/** Connects the official client to the command. */
async function connect(t: TestContext, words: readonly string[], person?: Person) {
  const transport = new StdioClientTransport(toProcess(words))
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: person ? { elicitation: {} } : {} },
  )
  const faults: Error[] = []
  // Such as a line on standard output that is not MCP.
  client.onerror = (error) => faults.push(error)
  if (person)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      person.asked.push(params.message)
      return { action: person.action }
    })
  await client.connect(transport)
  t.after(() => client.close())
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult & {
      structuredContent: Record<string, unknown>
    }
  return { client, transport, faults, call }
}

const textOf = ({ content: [first] }: CallToolResult) => (first?.type === 'text' ? first.text : '')

test('an agent finds, describes and buys; 20 parallel calls stay within the budget of five', async (t) => {
  const { client, faults, call } = await connect(t, [shop.seller.url, '--budget', '0.05'])
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['find', 'describe', 'quote', 'call', 'spent'],
  )
  const { found } = (await call('find', { query: 'charged by use' })).structuredContent as {
    found: { method: string; url: string; price_usd: string }[]
  }
  assert.deepEqual(found[0], {
    method: 'GET',
    url: `${shop.seller.url}/test/meter`,
    summary: 'Say a word',
    price_usd: '0.02',
  })
  const { hint } = (await call('find', { query: 'zebra' })).structuredContent
  assert.equal(hint, 'No operation has these words; without query, all are listed.')
  const described = await call('describe', { url: `${shop.seller.url}/test/notes` })
  assert.match(textOf(described), /"word":\{.*"maxLength":20/)
  assert.doesNotMatch(textOf(described), /\$ref/)

  const before = await funds()
  const quote = await call('quote', { url: `${shop.seller.url}/test/good`, query: { word: 'toll' } })
  assert.equal(quote.structuredContent.price_usd, '0.01')
  const elsewhere = await call('call', { url: 'https://elsewhere.example/' })
  assert.match(textOf(elsewhere), /https:\/\/elsewhere\.example is not allowed/)
  for (const tool of ['quote', 'call']) {
    const wrong = await call(tool, {
      url: `${shop.seller.url}/test/good`,
      query: { word: 'toll', colour: 'red' },
    })
    assert.equal(wrong.isError, true)
    assert.equal(wrong.structuredContent.code, 'unknown_parameter')
  }
  assert.equal(await funds(), before)

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      call('call', { url: `${shop.seller.url}/test/notes`, body: { word: `w${at}` } }),
    ),
  )
  const refused = answers.filter(({ isError }) => isError)
  assert.equal(refused.length, 15)
  for (const each of refused) assert.match(textOf(each), /The budget of \$0\.05 does not cover \$0\.01/)
  const paid = answers.find(({ isError }) => !isError)
  assert.ok(paid)
  assert.match(textOf(paid), /^\{"word":"w\d+","payer":"0x/)
  const { payment } = paid.structuredContent as { payment: { charged_usd: string; transaction: string } }
  assert.equal(payment.charged_usd, '0.01')
  assert.match(payment.transaction, /^0x[0-9a-f]{64}$/)
  assert.equal(before - (await funds()), 5n * CENT)
  const spent = (await call('spent')).structuredContent
  assert.deepEqual([spent.spent_usd, spent.left_usd], ['0.05', '0'])
  assert.deepEqual(faults, [])
})

/** The same with the client of the revision 2026-07-28, whose questions are part of the answer. */
async function connectModern(t: TestContext, words: readonly string[], person: Person) {
  const client = new ModernClient(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => {
    person.asked.push(params.message)
    return { action: person.action }
  })
  await client.connect(new ModernTransport(toProcess(words)))
  t.after(() => client.close())
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult
  return { call }
}

for (const [revision, connecting] of [
  ['2026-07-28', connectModern],
  ...(isExploring ? [['2025-11-25', connect] as const] : []),
] as const)
  test(`with --confirm the person is asked, and what is declined is not paid (revision ${revision})`, async (t) => {
    const person: Person = { action: 'decline', asked: [] }
    const { call } = await connecting(t, [shop.seller.url, '--budget', '1', '--confirm'], person)
    const before = await funds()
    const url = `${shop.seller.url}/test/good?word=toll`
    assert.match(textOf(await call('call', { url })), /was not confirmed/)
    assert.equal(await funds(), before)
    person.action = 'accept'
    assert.ok(!(await call('call', { url })).isError)
    assert.equal(before - (await funds()), CENT)
    assert.equal(person.asked.length, 2)
    assert.match(person.asked[0] ?? '', /^Pay \$0\.01 to 0x[0-9a-fA-F]{40} for GET http/)

    // The model may quote and buy by itself, as a seller's text could tell it to.
    const buyQuoted = async () => {
      const { quote_id } = JSON.parse(textOf(await call('quote', { url })))
      return call('buy', { quote_id, price_usd: '0.01' })
    }
    person.action = 'decline'
    assert.match(textOf(await buyQuoted()), /was not confirmed/)
    assert.equal(before - (await funds()), CENT)
    person.action = 'accept'
    assert.ok(!(await buyQuoted()).isError)
    assert.equal(before - (await funds()), 2n * CENT)
    assert.deepEqual(person.asked.slice(2), [person.asked[0], person.asked[0]])
  })

test('a client that cannot ask buys by quote, and a quote that has changed is not paid', async (t) => {
  let terms = exactTerms('10000')
  let payments = 0
  const seller = createServer(({ headers }, response) => {
    if (headers['payment-signature']) payments += 1
    const required = encodePaymentRequiredHeader({
      x402Version: 2,
      resource: { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'application/json' },
      accepts: [terms as never],
    })
    const status = headers['payment-signature'] ? 200 : 402
    response.writeHead(status, { 'payment-required': required, 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(seller, 'listening')
  t.after(() => seller.close())
  const url = `http://127.0.0.1:${(seller.address() as AddressInfo).port}/`
  const { call } = await connect(t, [shop.seller.url, '--budget', '1', '--confirm', '--allow', url])
  assert.match(textOf(await call('call', { url })), /use quote, then buy/)
  const buy = async (price_usd: string, change: () => void) => {
    const { quote_id } = (await call('quote', { url })).structuredContent
    change()
    return textOf(await call('buy', { quote_id, price_usd }))
  }
  assert.match(await buy('0.02', () => {}), /another price/)
  for (const changed of [exactTerms('20000'), exactTerms('10000', { payTo: `0x${'11'.repeat(20)}` })]) {
    const change = () => {
      terms = changed
    }
    assert.match(await buy('0.01', change), /has changed/)
    terms = exactTerms('10000')
  }
  assert.equal(payments, 0)
  assert.equal(await buy('0.01', () => {}), '{}')
  assert.equal(payments, 1)
})

test('a killed server leaves its payment in the log, and the same call is not paid again', async (t) => {
  const held = Promise.withResolvers<void>()
  const log = join(temporaryFolder('mcp-log'), 'spending.sqlite')
  const words = [shop.seller.url, '--budget', '0.01', '--log', log]
  const killed = await connect(t, words)
  const before = await funds()
  const url = `${shop.seller.url}/test/good?word=killed`
  shop.desk.during = () => held.resolve()
  const lost = assert.rejects(killed.call('call', { url }))
  await held.promise
  process.kill(killed.transport.pid ?? 0, 'SIGKILL')
  await lost
  shop.desk.during = () => {}
  const { call } = await connect(t, words)
  assert.match(textOf(await call('call', { url: `${shop.seller.url}/test/good?word=other` })), /budget/)
  assert.match(textOf(await call('call', { url })), /"word":"killed"/)
  assert.equal(before - (await funds()), CENT)
  assert.equal((await call('spent')).structuredContent.spent_usd, '0.01')
})

test('a service that does not answer at the start is named on standard error, and MCP is served', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const away = `http://127.0.0.1:${port}`
  const { client, transport, faults } = await connect(t, [away, shop.seller.url, '--budget', '1'])
  let text = ''
  await new Promise<void>((resolve) => {
    transport.stderr?.on('data', (chunk: Buffer) => {
      text += chunk
      if (text.includes('NOT ANSWERING')) resolve()
    })
  })
  assert.match(
    text,
    new RegExp(
      `^${away} {2}NOT ANSWERING: connect ECONNREFUSED \\S+: nothing listens there; is tollbook`,
      'm',
    ),
  )
  assert.equal((await client.listTools()).tools.length, 5)
  assert.ok(!text.includes(shop.seller.url), text)
  assert.deepEqual(faults, [])
})
