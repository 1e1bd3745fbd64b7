import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import {
  type ListingFacilitator,
  openListingFacilitator,
  readEndpointOffer,
  settleForListing,
} from '@tollbook/pay/list-endpoint'
import { runCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { createDesk } from '@tollbook/testing/paying/desk'
import { openShop, type Shop, STRANGER } from '@tollbook/testing/paying/shop'
import { NEVER, toAccess } from '@tollbook/testing/payments/settlement-stage'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { generatePrivateKey } from 'viem/accounts'
import * as z from 'zod'
import { startFacilitator, type TestFacilitator } from './facilitator-stage.ts'

const API_KEY = 'a-key-of-the-catalogue'
const common = {
  summary: 'Say a word',
  description: 'Says a word.',
  input: z.object({ word: z.string().describe('Any word.') }),
  output: z.object({}),
  example: { input: { word: 'toll' } },
  limits: { bodyBytes: 100, timeoutMs: 1_000 },
  handle: () => json({}),
} as const
const cheap = { kind: 'exact', priceUsd: '0.01' } as const
const desk = createDesk()
const endpoints = [
  ...desk.endpoints.filter(({ id }) => id === 'test.good' || id === 'test.meter'),
  defineEndpoint({ ...common, id: 'test.part', method: 'POST', path: '/test/part/{word}', pricing: cheap }),
  defineEndpoint({
    ...common,
    id: 'test.dear',
    method: 'GET',
    path: '/test/dear',
    pricing: { kind: 'exact', priceUsd: '0.5' },
  }),
  defineEndpoint({
    ...common,
    id: 'test.later',
    method: 'GET',
    path: '/test/later',
    pricing: cheap,
    availability: () => ({ isAvailable: false, problem: { code: 'not_configured', detail: 'Not set up.' } }),
  }),
]

let shop: Shop
let state: State
let facilitator: TestFacilitator
let catalogue: ListingFacilitator
before(async () => {
  shop = await openShop({ endpoints })
  state = await openState(`sqlite:${join(temporaryFolder('catalogue'), 'state.sqlite')}`)
  await migrateState(state)
  // Another wallet than the one that settles for the seller, and which its upto offers name.
  const settings = {
    TOLLBOOK_FACILITATOR_KEY: STRANGER,
    TOLLBOOK_FACILITATOR_API_KEYS: API_KEY,
    TOLLBOOK_UNPAID_PER_MINUTE: '100000',
  }
  const access = toAccess(shop.seller.chain.rpcUrl)
  facilitator = await startFacilitator({ access, state }, null, { settings })
  catalogue = await openListingFacilitator({ url: facilitator.url, key: API_KEY, network: BASE }, NEVER)
})
after(async () => {
  await facilitator?.close()
  await state?.close()
  await shop?.close()
})

const offerOf = async (path: string) => {
  const endpoint = { method: 'GET', url: `${shop.seller.url}${path}` }
  const chosen = await readEndpointOffer(endpoint, catalogue, { max: 1_000_000n, signal: NEVER })
  assert.ok(chosen !== null && typeof chosen !== 'string', String(chosen))
  return chosen
}
const walletOf = (key: `0x${string}`) => ({ key, rpcUrl: shop.seller.chain.rpcUrl, signal: NEVER })

test('each endpoint is paid once at the facilitator, nothing is called, and its catalogue lists them', async () => {
  const payer = await shop.newPayer()
  const before = [await shop.earned(), await shop.balanceOf(payer.address)] as const
  const run = (...words: string[]) =>
    runCommand(['list', facilitator.url, '--service', shop.seller.url, '--max', '0.02', ...words], {
      ...withoutSettings(),
      TOLLBOOK_CHAIN_RPC_URL: shop.seller.chain.rpcUrl,
      TOLLBOOK_CALL_KEY: payer.key,
      TOLLBOOK_CATALOGUE_KEY: API_KEY,
    })
  const { stdout, stderr, code } = await run('--budget', '0.05', '--yes')
  const settled = 'settled in 0x[0-9a-f]{64}  success'
  const { url } = shop.seller
  assert.match(stdout, new RegExp(`^GET ${url}/test/good  \\$0.01  ${settled}$`, 'm'), stderr)
  assert.match(stdout, new RegExp(`^GET ${url}/test/meter  \\$0.02  ${settled}$`, 'm'))
  assert.match(stdout, new RegExp(`^POST ${url}/test/part/:word  \\$0.01  ${settled}$`, 'm'))
  assert.match(stdout, /^GET \S+\/test\/dear {2}skipped: \$0\.5 is above --max$/m)
  assert.ok(!stdout.includes('/test/later'), 'what is not configured is not offered')
  assert.match(stderr, new RegExp(`^3 payments, \\$0\\.04 in all, from wallet ${payer.address}$`, 'im'))
  assert.match(stdout, /^paid at most \$0\.04\n3 of 4 endpoints are listed at http:\S+\n$/m)
  assert.equal(code, 1)
  assert.equal((await shop.earned()) - before[0], 40_000n)
  assert.equal(before[1] - (await shop.balanceOf(payer.address)), 40_000n)
  assert.equal(desk.runs, 0)

  const dry = await run('--dry-run')
  assert.match(dry.stdout, /^GET \S+\/test\/good {2}\$0\.01$/m)
  assert.match(dry.stdout, /^3 of 4 endpoints are listed/m)
  assert.equal((await shop.earned()) - before[0], 40_000n)
})

test('without a terminal and without --yes nothing is read or paid, and the message says what to do', async () => {
  const payer = await shop.newPayer()
  const before = await shop.balanceOf(payer.address)
  const { stdout, stderr, code } = await runCommand(
    ['list', facilitator.url, '--service', shop.seller.url, '--budget', '0.05'],
    {
      ...withoutSettings(),
      TOLLBOOK_CHAIN_RPC_URL: shop.seller.chain.rpcUrl,
      TOLLBOOK_CALL_KEY: payer.key,
      TOLLBOOK_CATALOGUE_KEY: API_KEY,
    },
  )
  assert.match(stderr, /^cannot ask for confirmation without a terminal: add --yes to pay, or --dry-run/)
  assert.deepEqual([stdout, code, await shop.balanceOf(payer.address)], ['', 2, before])
})

test('what does not fit the budget is not paid', async () => {
  const payer = await shop.newPayer()
  const { stdout } = await runCommand(
    ['list', facilitator.url, '--service', shop.seller.url, '--budget', '0.015', '--yes'],
    {
      ...withoutSettings(),
      TOLLBOOK_CHAIN_RPC_URL: shop.seller.chain.rpcUrl,
      TOLLBOOK_CALL_KEY: payer.key,
      TOLLBOOK_CATALOGUE_KEY: API_KEY,
    },
  )
  assert.match(stdout, /\/test\/meter {2}\$0\.02 {2}skipped: --budget has \$0\.005 left$/m)
  assert.match(stdout, /^paid at most \$0\.01$/m)
})

test('a facilitator that refuses the listing or the payment is reported with its reason', async () => {
  const row = {
    pay_to: devPayTo.utility.toLowerCase(),
    operation: 'GET',
    host: 'a.example',
    schemes: 'exact',
  }
  await state.db
    .insertInto('facilitator_listing')
    .values(
      Array.from({ length: 200 }, (_, at) => ({
        ...row,
        resource: `https://a.example/${at}`,
        price: 1,
        description: '',
        last_seen: Date.now(),
      })),
    )
    .execute()
  const payer = await shop.newPayer()
  const listed = await settleForListing(catalogue, await offerOf('/test/dear'), walletOf(payer.key))
  assert.equal(listed.isSettled, true)
  assert.deepEqual(listed.listing, { status: 'rejected', rejectedReason: 'too_many_resources' })
  const poor = await settleForListing(catalogue, await offerOf('/test/good'), walletOf(generatePrivateKey()))
  assert.deepEqual(
    [poor.isSettled, poor.reason, poor.listing],
    [false, 'invalid_exact_evm_insufficient_balance', null],
  )
})

test('a payment that is not answered is repeated as it is, never signed again', async (t) => {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(await text(request))
    if (bodies.length === 1) response.destroy()
    else if (bodies.length === 2)
      response.end(JSON.stringify({ success: false, errorReason: 'settlement_pending' }))
    else response.end(JSON.stringify({ success: true, transaction: `0x${'ab'.repeat(32)}` }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const payer = await shop.newPayer()
  const answer = await settleForListing(
    { ...catalogue, url },
    await offerOf('/test/good'),
    walletOf(payer.key),
  )
  assert.deepEqual(
    [answer.isSettled, answer.transaction, answer.listing],
    [true, `0x${'ab'.repeat(32)}`, null],
  )
  assert.equal(bodies.length, 3)
  assert.equal(new Set(bodies).size, 1)
})

test('an endpoint without an offer is skipped with the reason', async () => {
  const reasonOf = (url: string) =>
    readEndpointOffer({ method: 'GET', url }, catalogue, { max: 1_000_000n, signal: NEVER })
  assert.equal(await reasonOf('http://127.0.0.1:1/'), 'the service does not answer')
  assert.equal(
    await reasonOf(`${shop.seller.url}/openapi.json`),
    'an unpaid call is answered 200, without an offer',
  )
})

test('wrong arguments are refused before anything is read', async () => {
  const run = (...words: string[]) => runCommand(['list', ...words], withoutSettings())
  const [none, noBudget, notUrl] = await Promise.all([
    run(),
    run(facilitator.url),
    run(facilitator.url, '--dry-run', '--service', 'ftp://here'),
  ])
  assert.match(none.stderr, /^list needs the URL of one facilitator/)
  assert.match(noBudget.stderr, /^--budget is required: an amount in dollars/)
  assert.match(notUrl.stderr, /^not a host or URL: ftp:\/\/here/)
  assert.deepEqual([none.code, noBudget.code, notUrl.code], [2, 2, 2])
})
