import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { formatUsd } from '@tollbook/chain/usdc'
import { listen } from '@tollbook/http/server/serve'
import { Buyer } from '@tollbook/pay/buyer'
import { createMcpServer } from '@tollbook/pay/mcp/create-server'
import { payAndCall } from '@tollbook/pay/pay'
import { createProxy } from '@tollbook/pay/proxy/serve-proxy'
import { openSpendingLog } from '@tollbook/pay/spending-log'
import { startJsonRpcServer } from '@tollbook/testing/chain/json-rpc-server'
import { exactTerms, GAS_SPONSORING, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { fc, slowRuns } from '@tollbook/testing/property'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import { Challenge } from 'mppx'
import { pino } from 'pino'
import type { LocalAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createClient } from '../../packages/pay/client/create-client.ts'

const MAX = 100_000n
const LIFETIME_SECONDS = 3600
const STRANGER = `0x${'11'.repeat(20)}`
/** Contracts that move at most what was signed, to whom it was signed for. */
const SPENDERS = [CONTRACTS.exactPermit2Proxy, CONTRACTS.uptoPermit2Proxy, ...CONTRACTS.channelCollectors]
const INFO = { description: 'gas is paid', version: '1' }

type TypedData = {
  readonly primaryType: string
  readonly domain: { readonly chainId: number; readonly verifyingContract: string; readonly name: string }
  readonly message: Readonly<Record<string, unknown>>
}

/** What the payer was asked to sign: typed data, and the names of other requests. */
const [typed, others]: [TypedData[], string[]] = [[], []]
const payer = privateKeyToAccount(DEV_CLIENT_KEYS[0])
const recorded = (name: 'sign' | 'signMessage' | 'signTransaction' | 'signAuthorization') =>
  ((...words: never[]) => {
    others.push(name)
    return (payer[name] as (...given: never[]) => unknown)(...words)
  }) as never
const account: LocalAccount = {
  ...payer,
  sign: recorded('sign'),
  signMessage: recorded('signMessage'),
  signTransaction: recorded('signTransaction'),
  signAuthorization: recorded('signAuthorization'),
  signTypedData(data) {
    typed.push(data as unknown as TypedData)
    return payer.signTypedData(data)
  },
}

/** What the seller's 402 says. */
const challenge: { headers: Record<string, string>; body: string } = { headers: {}, body: '' }
/** The payments that it received. */
let payments = 0
const opened: { close(): unknown }[] = []
const ways: Record<string, (path: string) => Promise<unknown>> = {}

before(async () => {
  const seller = createServer(({ headers }, response) => {
    const isPaid = ['payment-signature', 'x-payment', 'authorization'].some((name) => name in headers)
    if (isPaid) payments += 1
    response.writeHead(isPaid ? 200 : 402, isPaid ? {} : challenge.headers).end(isPaid ? '' : challenge.body)
  }).listen(0, '127.0.0.1')
  await once(seller, 'listening')
  const url = `http://127.0.0.1:${(seller.address() as AddressInfo).port}`
  const rpc = await startJsonRpcServer()
  // No allowance, no nonce used, no channel, whose state has four words.
  rpc.setAnswer((requests) => {
    const results = requests.map(({ id }) => ({
      id,
      result: `0x${'0'.repeat(256)}`,
    }))
    return JSON.stringify(results.length === 1 ? results[0] : results)
  })
  const { signal } = new AbortController()
  const wallet = { key: account, rpcUrl: rpc.url }
  const log = openSpendingLog(join(temporaryFolder('signed'), 'spending.sqlite'))
  const chain = { findSettlement: async () => ({ found: 'open' }) as const }
  const buyer = new Buyer({ log, chain, ...wallet, budget: 10n ** 15n, max: MAX })
  const proxy = await listen({
    app: createProxy({ buyer, to: url }),
    host: '127.0.0.1',
    port: 0,
    logger: pino({ level: 'silent' }),
  })
  const server = createMcpServer({ buyer, version: '1', services: [], allowed: [url], confirms: false })
  const mcp = new Client({ name: 'test', version: '1' })
  const [one, other] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(other as never), mcp.connect(one)])
  const form = { method: 'GET', path: '/{path}', input: { shape: {} } }
  const client = createClient<{ utility: { get(input: object): Promise<unknown> } }>(
    {
      forms: { social: {}, utility: { get: form }, inference: {} },
      max: formatUsd(MAX),
      origins: { social: url, utility: url, inference: url },
      rpcUrl: rpc.url,
    },
    { key: account, budget: '1000000' },
  )
  for (const scheme of [undefined, 'exact', 'upto', 'batch-settlement'] as const)
    ways[`call ${scheme ?? ''}`] = (path) =>
      payAndCall({
        ...wallet,
        max: MAX,
        ...(scheme && { scheme }),
        request: { url: `${url}/${path}`, method: 'GET', headers: new Headers() },
        confirm: async () => true,
        onRetry() {},
        signal,
      })
  ways.proxy = async (path) => (await fetch(`${proxy.url}/${path}`)).arrayBuffer()
  ways.mcp = (path) => mcp.callTool({ name: 'call', arguments: { url: `${url}/${path}` } })
  ways.client = (path) => client.utility.get({ path }).catch(() => {})
  opened.push(seller, rpc, log, proxy, mcp)
})
after(async () => {
  for (const each of opened.reverse()) await each.close()
})

/** What each way of calling has signed for the same 402. */
async function callEveryWay(path: string) {
  const signed: Record<string, readonly string[]> = {}
  for (const [way, call] of Object.entries(ways)) {
    typed.length = 0
    others.length = 0
    await call(path)
    assert.deepEqual(others, [], way)
    signed[way] = typed.map(readSigned)
    const vouchers = typed.filter(({ primaryType }) => primaryType === 'Voucher')
    assert.ok(vouchers.length <= (way === 'call batch-settlement' ? 1 : 0), way)
    const [transfer, permit, ...more] = typed.filter((each) => !vouchers.includes(each))
    assert.deepEqual(more, [], way)
    if (transfer && permit)
      assert.deepEqual([permit.primaryType, permit.message.value], ['Permit', amountOf(transfer)], way)
  }
  return signed
}

const amountOf = ({ message }: TypedData) =>
  (message.permitted as { amount: bigint } | undefined)?.amount ?? (message.value as bigint)

/** The kind of a signature. @throws AssertionError unless it moves at most the maximum of USDC, within an hour. */
function readSigned(data: TypedData): string {
  const { primaryType, domain, message } = data
  assert.equal(domain.chainId, BASE.chainId)
  const until = Number(message.validBefore ?? message.deadline ?? 0)
  assert.ok(until <= Date.now() / 1000 + LIFETIME_SECONDS, `valid until ${until}`)
  if (primaryType === 'Voucher') {
    assert.ok((message.maxClaimableAmount as bigint) <= MAX)
    return primaryType
  }
  assert.ok(amountOf(data) >= 0n && amountOf(data) <= MAX, `${amountOf(data)}`)
  if (primaryType === 'PermitWitnessTransferFrom') {
    assert.equal(domain.verifyingContract, CONTRACTS.permit2)
    assert.equal((message.permitted as { token: string }).token, BASE.usdc)
    assert.ok(SPENDERS.includes(message.spender as never), `${message.spender}`)
    return primaryType
  }
  assert.equal(domain.verifyingContract, BASE.usdc)
  if (primaryType === 'Permit') assert.equal(message.spender, CONTRACTS.permit2)
  else assert.ok(['TransferWithAuthorization', 'ReceiveWithAuthorization'].includes(primaryType), primaryType)
  return primaryType
}

function offer(accepts: unknown, extensions: unknown): void {
  const resource = { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'text/plain' }
  challenge.headers = {
    'payment-required': encodePaymentRequiredHeader({
      x402Version: 2,
      resource,
      accepts,
      extensions,
    } as never),
  }
  challenge.body = ''
}

const CHANNEL = {
  ...exactTerms('10000'),
  scheme: 'batch-settlement',
  extra: {
    ...exactTerms('10000').extra,
    receiverAuthorizer: STRANGER,
    withdrawDelay: 86_400,
    minDeposit: '50000',
  },
}
const permit2 = (terms: { readonly scheme: string; readonly extra: object }) => ({
  ...terms,
  extra: { ...terms.extra, assetTransferMethod: 'permit2' },
})

test('an offer of gas for an approval does not make the payer sign a transaction', async () => {
  const approval = { erc20ApprovalGasSponsoring: { info: INFO, schema: {} } }
  offer([uptoTerms('500')], approval)
  const signed = await callEveryWay('approval')
  for (const way of ['call ', 'proxy', 'mcp', 'client'])
    assert.deepEqual(signed[way], ['PermitWitnessTransferFrom'], way)
  // Without an allowance, the permit for exactly the amount is what lets it be paid.
  offer([uptoTerms('500')], { ...approval, ...GAS_SPONSORING })
  const permitted = await callEveryWay('permit')
  for (const way of ['call ', 'proxy', 'mcp', 'client'])
    assert.deepEqual(permitted[way], ['PermitWitnessTransferFrom', 'Permit'], way)
  for (const terms of [permit2(exactTerms('500')), permit2(CHANNEL)]) {
    offer([terms], approval)
    await callEveryWay(terms.scheme)
  }
  assert.ok(payments > 10)
})

const anything = fc.oneof(
  fc.anything({ maxDepth: 2 }),
  fc.constantFrom('0', '-1', '9'.repeat(80), 30_000, STRANGER, 'eip155:1', 'exact', 'upto', 'permit2'),
)
const someTerms = fc
  .tuple(
    fc.constantFrom<object>(
      exactTerms('10000'),
      exactTerms('200000'),
      uptoTerms('30000'),
      permit2(exactTerms('20000')),
      CHANNEL,
      permit2(CHANNEL),
    ),
    fc.dictionary(
      fc.constantFrom('scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra'),
      anything,
      { maxKeys: 1 },
    ),
  )
  .map(([terms, changes]) => ({ ...terms, ...changes }))
const someExtensions = fc.dictionary(
  fc.constantFrom(
    'eip2612GasSponsoring',
    'erc20ApprovalGasSponsoring',
    'sign-in-with-x',
    'payment-identifier',
    'bazaar',
    'builder-code',
    '__proto__',
  ),
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ info: INFO, schema: {} }) },
    { arbitrary: anything, weight: 1 },
  ),
)
const someCharge = fc.record({ amount: fc.constantFrom('10000', '200000'), digits: anything }).map((charge) =>
  Challenge.serialize(
    Challenge.from({
      id: 'an id',
      realm: 'a test',
      method: 'evm',
      intent: 'charge',
      request: {
        amount: charge.amount,
        currency: BASE.usdc,
        recipient: STRANGER,
        methodDetails: { chainId: BASE.chainId, credentialTypes: ['authorization'], decimals: 0 },
      },
    }),
  ),
)
const toJson = (value: unknown) =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each)) ?? 'null'

test('whatever a 402 says, only transfers of USDC within the maximum are signed, and a permit for one', async () => {
  let at = 0
  const kinds = new Set<string>()
  const property = fc.asyncProperty(
    fc.array(someTerms, { minLength: 1, maxLength: 3 }),
    someExtensions,
    fc.option(someCharge),
    async (accepts, extensions, charge) => {
      const required = toJson({ x402Version: 2, accepts, extensions, resource: { url: 'http://a/' } })
      challenge.headers = {
        'payment-required': Buffer.from(required).toString('base64'),
        ...(charge !== null && { 'www-authenticate': charge }),
      }
      const first = { ...exactTerms('10000'), network: BASE.nameV1, maxAmountRequired: '10000' }
      challenge.body = toJson({ x402Version: 1, accepts: [first], extensions })
      at += 1
      for (const signed of Object.values(await callEveryWay(`call-${at}`)))
        for (const kind of signed) kinds.add(kind)
    },
  )
  await fc.assert(property, { numRuns: slowRuns(120) })
  for (const kind of ['TransferWithAuthorization', 'PermitWitnessTransferFrom', 'Permit', 'Voucher'])
    assert.ok(kinds.has(kind), kind)
})
