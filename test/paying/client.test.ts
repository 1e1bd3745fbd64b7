import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { formatUsd, parseUsd } from '@tollbook/chain/usdc'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { toToolName } from '@tollbook/endpoints/mcp/tools'
import {
  sendPieces,
  startChatUpstream,
  type TestUpstream,
  toChunk,
  toEvent,
  toUsageChunk,
} from '@tollbook/testing/models/chat-upstream'
import type { Customer, Shop } from '@tollbook/testing/paying/shop'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { openClientShop } from './client-shop.ts'
import { installClient } from './installed-client.ts'
import { openProxy } from './open-proxy.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(import.meta.dirname, '../../packages/pay/client')
const CALC = parseUsd('0.001')
const messages = [{ role: 'user', content: 'hello there' }]

const load = (service: string) => loadEndpoints(new URL(`../../apps/${service}/src/`, import.meta.url))
const [social, utility, inference] = await Promise.all(['social', 'utility', 'inference'].map(load))
const catalogue = { social: social ?? [], utility: utility ?? [], inference: inference ?? [] }

// biome-ignore lint/suspicious/noExplicitAny: the types of the package exist only after its build
type Package = any
const run = promisify(execFile)
const folder = temporaryFolder('client')
let client: Package
let upstream: TestUpstream
let shop: Shop

before(async () => {
  upstream = await startChatUpstream()
  const sold = [...catalogue.utility, ...catalogue.inference.filter(({ id }) => id.startsWith('chat.'))]
  shop = await openClientShop(sold, upstream)
  client = await installClient(folder)
})
after(async () => {
  await shop?.close()
  upstream?.close()
})

/** A client with a wallet of its own; `spent` is what the chain says. */
async function open({ budget = '1', max = '0.10', origin = shop.seller.url } = {}) {
  const payer: Customer = await shop.newPayer()
  const before = await shop.balanceOf(payer.address)
  const tollbook: Package = client.createTollbook({
    key: payer.key,
    budget,
    max,
    origins: { utility: origin, inference: origin },
    rpcUrl: shop.seller.chain.rpcUrl,
  })
  return { tollbook, payer, spent: async () => before - (await shop.balanceOf(payer.address)) }
}

test('an answer comes with its receipt, whose transaction moved exactly its amount', async () => {
  const { tollbook, payer, spent } = await open()
  const { data, receipt } = await tollbook.utility.calc({ expr: '100!/98!' })
  assert.equal(data.result, '9900')
  assert.deepEqual([receipt.amountUsd, receipt.payer.toLowerCase()], ['0.001', payer.address.toLowerCase()])
  const { logs, status } = await shop.chain.getTransactionReceipt({ hash: receipt.transaction })
  assert.equal(status, 'success')
  assert.ok(logs.some((log) => log.data !== '0x' && BigInt(log.data) === CALC))
  assert.deepEqual(tollbook.spent(), { budgetUsd: '1', spentUsd: '0.001', leftUsd: '0.999' })
  assert.equal(await spent(), CALC)
})

test('a chat streams its events as they arrive, at one price and by the token', async () => {
  const { tollbook, payer, spent } = await open()
  await shop.allowPermit2(payer)
  for (const method of ['chat_tier_3', 'chat_tier_3_upto']) {
    const rest = Promise.withResolvers<void>()
    upstream.answerWith(async (call, response) => {
      const first = [toChunk({ role: 'assistant', content: '' }), toChunk({ content: 'Hello' })]
      await sendPieces(first.map(toEvent), false)(call, response)
      if (method === 'chat_tier_3') await rest.promise
      const end = [toChunk({ content: ' you' }), toChunk({}, 'stop'), toUsageChunk(3, 2)].map(toEvent)
      for (const event of [...end, 'data: [DONE]\n\n']) response.write(event)
      response.end()
    })
    const before = await spent()
    const result = await tollbook.inference[method]({ messages, stream: true })
    let text = ''
    for await (const event of result.data) {
      text += event.choices[0]?.delta.content ?? ''
      // The rest is written only once the first content has arrived.
      if (text === 'Hello') rest.resolve()
    }
    assert.equal(text, 'Hello you')
    assert.equal(result.receipt.amountUsd, formatUsd((await spent()) - before), method)
  }
  // The metered call counts with its maximum, although it was charged less.
  assert.equal(tollbook.spent().spentUsd, formatUsd(parseUsd('0.003139') + parseUsd('0.004049')))
  assert.ok((await spent()) < parseUsd(tollbook.spent().spentUsd))
})

test('files are bytes, and lines of JSON are values', async () => {
  const { tollbook, spent } = await open()
  const { data, contentType } = await tollbook.utility.generate_image({ prompt: 'a dot', raw: '1' })
  assert.equal(contentType, 'image/png')
  assert.ok(data instanceof Uint8Array)
  assert.deepEqual([...data.slice(1, 4)], [...Buffer.from('PNG')])
  await tollbook.utility.store_append({ collection: 'trades', body: { ticker: 'BTC' } })
  const lines: { type: string }[] = []
  for await (const line of (await tollbook.utility.store_export()).data) lines.push(line)
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['store', 'collection', 'row', 'end'],
  )
  assert.equal(await spent(), parseUsd('0.07') + parseUsd('0.005') + parseUsd('0.001'))
})

test('a refused call, one above the maximum and one without a path are errors that cost nothing', async () => {
  const { tollbook, spent } = await open({ max: '0.001' })
  const codeOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => assert.fail('the call has an answer'),
      (thrown: Package) => thrown,
    )
    assert.ok(error instanceof client.TollbookError, error)
    return [error.code, error.status, error.receipt]
  }
  assert.deepEqual(await codeOf(tollbook.utility.calc({ expr: '2+' })), ['invalid_request', 402, null])
  assert.deepEqual(await codeOf(tollbook.utility.qr({ data: 'x' })), ['no_offer', 402, null])
  assert.deepEqual(await codeOf(tollbook.utility.scratchpad_get({})), ['invalid_request', null, null])
  assert.deepEqual(await codeOf(tollbook.utility.scratchpad_get({ name: '..' })), [
    'invalid_request',
    null,
    null,
  ])
  assert.equal(tollbook.spent().spentUsd, '0')
  // The service has a signature now, although it settled nothing.
  assert.deepEqual(await codeOf(tollbook.utility.scratchpad_get({ name: 'absent' })), [
    'not_found',
    404,
    null,
  ])
  assert.equal(tollbook.spent().spentUsd, '0.001')
  const { tollbook: away } = await open({ origin: 'http://127.0.0.1:1' })
  assert.deepEqual(await codeOf(away.utility.calc({ expr: '1' })), ['unreachable', null, null])
  assert.equal(await spent(), 0n)
})

test('calls with one idempotency key are charged once, and an aborted call is not paid', async () => {
  const { tollbook, spent } = await open()
  const once = { idempotencyKey: 'a-key-of-16-letters' }
  const first = await tollbook.utility.calc({ expr: '2+2' }, once)
  const second = await tollbook.utility.calc({ expr: '2+2' }, once)
  assert.deepEqual(second.data, first.data)
  assert.equal(second.receipt.transaction, first.receipt.transaction)
  assert.equal(await spent(), CALC)
  const call = tollbook.utility.calc({ expr: '2+3' }, { signal: AbortSignal.abort() })
  await assert.rejects(call, { name: 'AbortError' })
  assert.equal(await spent(), CALC)
})

test('twenty parallel calls spend a budget of five to the last cent, and the rest is not paid', async () => {
  const { tollbook, spent } = await open({ budget: '0.005' })
  const calls = Array.from({ length: 20 }, (_, at) => tollbook.utility.calc({ expr: `${at}+1` }))
  const refused = (await Promise.allSettled(calls)).flatMap((each) => ('reason' in each ? [each.reason] : []))
  assert.deepEqual(
    refused.map(({ code }) => code),
    Array(15).fill('budget'),
  )
  assert.equal(await spent(), 5n * CALC)
})

test('an answer that breaks off is requested again with the same payment', async (t) => {
  const payments: string[] = []
  const front = createServer(async (request, response) => {
    const payment = request.headers['payment-signature']
    if (typeof payment === 'string') payments.push(payment)
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const headers = new Headers({ 'content-type': 'application/json' })
    if (typeof payment === 'string') headers.set('payment-signature', payment)
    const answer = await fetch(`${shop.seller.url}${request.url}`, {
      method: 'POST',
      headers,
      body: Buffer.concat(pieces),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const { 'transfer-encoding': _, ...kept } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, { ...kept, 'content-length': bytes.length })
    if (payments.length !== 1) return void response.end(bytes)
    response.write(bytes.subarray(0, 10), () => response.destroy())
  }).listen(0, '127.0.0.1')
  t.after(() => {
    front.closeAllConnections()
    front.close()
  })
  await once(front, 'listening')
  const { port } = front.address() as { port: number }
  const { tollbook, spent } = await open({ origin: `http://127.0.0.1:${port}` })
  const { data } = await tollbook.utility.calc({ expr: '6*7' })
  assert.equal(data.result, '42')
  assert.equal(payments.length, 2)
  assert.equal(new Set(payments).size, 1)
  assert.equal(await spent(), CALC)
})

test('each operation of the catalogue has a method whose types accept its example', async () => {
  const calls = Object.entries(catalogue).flatMap(([service, endpoints]) =>
    endpoints
      .filter(({ variant, isPage, path }) => (!variant || /\/upto$/.test(path)) && !isPage)
      .map((endpoint) => {
        const seller = endpoint.dialect === 'messages' ? 'utility' : service
        const example = JSON.stringify(endpoint.example.input, (_, value) =>
          value instanceof Blob ? 'FILE' : value,
        )
        return `void tollbook.${seller}.${toToolName(endpoint)}(${example.replaceAll('"FILE"', 'new Blob()')})`
      }),
  )
  assert.ok(calls.length > 80)
  writeFileSync(
    join(folder, 'examples.ts'),
    `import { createTollbook } from 'tollbook-client'
const tollbook = createTollbook({ key: '0x01', budget: 1 })
${calls.join('\n')}
const { data } = await tollbook.inference.chat_completions({ messages: [{ role: 'user', content: 'x' }] })
data.choices[0]?.message.content satisfies string | null | undefined
const { data: events } = await tollbook.inference.chat_completions({ messages: [], stream: true })
for await (const event of events) console.log(event.choices[0].delta.content)
// @ts-expect-error: a number is no expression
void tollbook.utility.calc({ expr: 1 })
`,
  )
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2024 --types node --typeRoots'
  const checked = run(
    process.execPath,
    [compiler, ...flags.split(' '), join(ROOT, 'node_modules/@types'), 'examples.ts'],
    { cwd: folder },
  )
  await assert.doesNotReject(
    checked,
    (error) => assert.fail(`${(error as { stdout?: string }).stdout}`) as never,
  )
})

/** Of the section "From code", in this order. */
const [ts = '', curl = '', python = ''] = [
  ...readFileSync(join(ROOT, 'docs/agents.md'), 'utf8')
    .replace(/^.*?^## From code$(.*?)^## .*$/ms, '$1')
    .matchAll(/```\w+\n(.*?)```/gs),
].map(([, code = '']) => code)

test('the documented lines in TypeScript, curl and Python print what they bought', async (t) => {
  const { payer } = await open()
  const proxy = await openProxy(shop)
  t.after(() => proxy.close())
  const origins = { utility: shop.seller.url }
  writeFileSync(
    join(folder, 'documented.ts'),
    ts.replace(/0x[0-9a-f]{64}/, payer.key).replace("'1.00'", `'1.00', origins: ${JSON.stringify(origins)}`),
  )
  const { stdout } = await run(process.execPath, ['documented.ts'], { cwd: folder })
  assert.match(stdout, /^1024 0\.001 0x[0-9a-f]{64}\n$/)
  const toProxy = (code: string) => code.replace('http://127.0.0.1:4402', proxy.url)
  const bought = await run('sh', ['-c', `${toProxy(curl).trim()} --silent`]).catch(skipWithout(t, 'curl'))
  if (bought) assert.equal(JSON.parse(bought.stdout).result, '1024')
  const printed = await run('python3', ['-c', toProxy(python)]).catch(skipWithout(t, 'requests'))
  if (printed) assert.equal(printed.stdout, '1024\n')
})

/** A program that is not installed is reported, any other failure thrown. */
const skipWithout = (t: TestContext, name: string) => (error: Error) => {
  if (!/ENOENT|not found|ModuleNotFoundError/.test(error.message)) throw error
  t.diagnostic(`${name} is not installed`)
}

test('the package pins what the product pins', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
  const [own, product] = [read(join(FOLDER, 'package.json')), read(join(ROOT, 'package.json'))]
  const { packages } = read(join(ROOT, 'package-lock.json'))
  const pinned = Object.keys(own.dependencies).map((name) => [
    name,
    packages[`node_modules/${name}`]?.version,
  ])
  assert.deepEqual(own.dependencies, Object.fromEntries(pinned))
  assert.deepEqual([own.version, own.engines], [product.version, product.engines])
})
