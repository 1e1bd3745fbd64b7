import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { type DevAccount, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE, BASE_SEPOLIA } from '@tollbook/chain/network'
import { readNetworkFile } from '@tollbook/chain/read-network-file'
import { type PaymentScheme, readSettlement } from '@tollbook/pay/offer'
import { payAndCall } from '@tollbook/pay/pay'
import { runCommand, startCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { type Seller, startSeller } from '@tollbook/testing/paying/seller'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { contrast } from '@tollbook/utility/endpoints/api/a11y/contrast/endpoint'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { Mppx } from 'mppx/client'
import { evm } from 'mppx/evm/client'
import { createPublicClient, createWalletClient, http, maxUint256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { decodeXPaymentResponse, wrapFetchWithPayment as wrapFetchWithPaymentV1 } from 'x402-fetch'
import { startFacilitator } from '../facilitator/facilitator-stage.ts'
import { spell } from '../paying/metered-endpoint.ts'
import { withoutX402 } from '../paying/stock-clients.ts'

const CONTRAST_PATH = '/api/a11y/contrast?fg=%23777&bg=%23fff'
const CONTRAST_PRICE = 1000n
const PORTS = ['REPORT', 'SOCIAL', 'UTILITY', 'INFERENCE', 'FACILITATOR', 'DEVCHAIN']
const NEVER = new AbortController().signal

let seller: Seller
before(async () => {
  seller = await startSeller({
    endpoints: [contrast, spell],
    settings: { TOLLBOOK_NETWORK: 'base-sepolia' },
  })
})
after(() => seller?.close())

const urlOf = (path: string) => `${seller.url}${path}`
const chainOf = ({ chain }: Seller) => createPublicClient({ transport: http(chain.rpcUrl) })

function stockFetch(
  account: DevAccount,
  network: `eip155:${number}` = BASE_SEPOLIA.id,
  at = seller,
): typeof fetch {
  const signer = toClientEvmSigner(privateKeyToAccount(account.privateKey), chainOf(at))
  const client = new x402Client()
    .register(network, new ExactEvmScheme(signer))
    .register(network, new UptoEvmScheme(signer, { rpcUrl: at.chain.rpcUrl }))
  // By default the SDK pays with the tokens of its table alone.
  if (at !== seller) client.setSpendControls(false)
  return wrapFetchWithPayment(fetch, client) as typeof fetch
}

/** Runs a call, requires that it is answered and costs what it should. */
async function requireCharge(charge: bigint, call: () => Promise<Response>, at = seller): Promise<Response> {
  const before = await at.chain.usdcOf(devPayTo.utility)
  const response = await call()
  assert.equal(response.status, 200, await response.clone().text())
  assert.equal((await at.chain.usdcOf(devPayTo.utility)) - before, charge)
  return response
}

test('@x402/fetch pays an exact route on Base Sepolia, and its receipt is marked', async () => {
  const [account] = seller.chain.accounts
  const response = await requireCharge(CONTRAST_PRICE, () => stockFetch(account)(urlOf(CONTRAST_PATH)))
  const settled = readSettlement(response)
  assert.equal(settled?.network, 'eip155:84532')
  const id = response.headers.get('tollbook-receipt')
  const receipt = await fetch(urlOf(`/v1/receipts/${id}`)).then((answer) => answer.json())
  const { network, isTest, isLocal, asset } = receipt as Record<string, unknown>
  assert.deepEqual([network, isTest, isLocal], ['eip155:84532', true, true])
  assert.equal(`${asset}`.toLowerCase(), BASE_SEPOLIA.usdc.toLowerCase())
})

test('@x402/fetch pays a metered route by Permit2 on Base Sepolia', async () => {
  const account = seller.chain.accounts[1]
  const wallet = createWalletClient({
    account: privateKeyToAccount(account.privateKey),
    transport: http(seller.chain.rpcUrl),
  })
  const hash = await wallet.writeContract({
    address: BASE_SEPOLIA.usdc,
    abi: parseAbi(['function approve(address, uint256) returns (bool)']),
    functionName: 'approve',
    args: [CONTRACTS.permit2, maxUint256],
    chain: null,
  })
  await chainOf(seller).waitForTransactionReceipt({ hash, pollingInterval: 20 })
  // Four letters, a tenth of a cent each.
  await requireCharge(4000n, () => stockFetch(account)(urlOf('/test/spell?word=toll')))
})

test('x402-fetch pays by version 1, under the name base-sepolia', async () => {
  const account = privateKeyToAccount(seller.chain.accounts[2].privateKey)
  const wallet = createWalletClient({ account, chain: baseSepolia, transport: http(seller.chain.rpcUrl) })
  const paying = wrapFetchWithPaymentV1(fetch, wallet)
  const response = await requireCharge(CONTRAST_PRICE, () => paying(urlOf(CONTRAST_PATH)))
  const receipt = decodeXPaymentResponse(response.headers.get('x-payment-response') ?? '')
  assert.equal(receipt.network, 'base-sepolia')
})

test('mppx pays by MPP on Base Sepolia', async () => {
  const account = privateKeyToAccount(seller.chain.accounts[3].privateKey)
  const methods = [evm.charge({ account, currencies: [evm.assets.baseSepolia.USDC] })]
  const mppx = Mppx.create({ methods, fetch: withoutX402, polyfill: false })
  await requireCharge(CONTRAST_PRICE, () => mppx.fetch(urlOf(CONTRAST_PATH)))
})

test('a client that pays on Base signs nothing for Base Sepolia', async () => {
  const account = seller.chain.accounts[4]
  await assert.rejects(stockFetch(account, BASE.id)(urlOf(CONTRAST_PATH)), /84532|network|scheme/i)
  const outcome = await callFor({ network: BASE })
  assert.deepEqual(outcome, {
    kind: 'no-offer',
    reason: 'the service does not accept USDC on Base at a valid address by exact or upto',
  })
})

test('a payment that is signed for Base is refused and not charged, whatever it says it accepted', async () => {
  const { chain } = seller
  const account = privateKeyToAccount(chain.accounts[7].privateKey)
  const challenge = await fetch(urlOf(CONTRAST_PATH))
  const required = decodePaymentRequiredHeader(challenge.headers.get('payment-required') ?? '')
  const offered = required.accepts.find(({ scheme }) => scheme === 'exact')
  assert.ok(offered)
  const onBase = {
    ...offered,
    network: BASE.id,
    asset: BASE.usdc,
    extra: { name: BASE.usdcName, version: BASE.usdcVersion },
  }
  const payment = await new x402Client()
    .register(BASE.id, new ExactEvmScheme(toClientEvmSigner(account, chainOf(seller))))
    .createPaymentPayload({ ...required, accepts: [onBase] })
  const before = await chain.usdcOf(devPayTo.utility)
  for (const accepted of [onBase, offered]) {
    const header = encodePaymentSignatureHeader({ ...payment, accepted })
    const answer = await fetch(urlOf(CONTRAST_PATH), { headers: { 'payment-signature': header } })
    assert.equal(answer.status, 402, await answer.text())
  }
  assert.equal(await chain.usdcOf(devPayTo.utility), before)
})

test('the client of tollbook call pays each scheme on Base Sepolia', async () => {
  for (const scheme of ['exact', 'batch-settlement'] as const) {
    const outcome = await callFor({ network: BASE_SEPOLIA, scheme })
    assert.equal(outcome.kind === 'answered' && outcome.response.status, 200, outcome.kind)
  }
})

function callFor(options: {
  readonly network: typeof BASE | typeof BASE_SEPOLIA
  readonly scheme?: PaymentScheme
}) {
  const { chain } = seller
  return payAndCall({
    ...options,
    request: { url: urlOf(CONTRAST_PATH), method: 'GET', headers: new Headers() },
    key: chain.accounts[5].privateKey,
    rpcUrl: chain.rpcUrl,
    max: 1_000_000n,
    confirm: async () => true,
    onRetry: () => {},
    signal: NEVER,
  })
}

test('pages and documents of the service say that it is a test network', async () => {
  const note = 'paid on a local test chain, whose dollars have no value'
  const read = (path: string, accept = '*/*') =>
    fetch(urlOf(path), { headers: { accept } }).then((answer) => answer.text())
  for (const path of ['/', '/openapi.json', '/llms.txt', '/problems'])
    assert.match(await read(path), new RegExp(note), path)
  // The page that a browser gets instead of the 402.
  assert.match(await read(CONTRAST_PATH, 'text/html'), new RegExp(note))
  assert.match(await read('/'), /register\('eip155:84532'/)
  assert.match(await read('/llms.txt'), /paid in USDC on Base Sepolia/)
})

test('the facilitator service settles on Base Sepolia for the SDK', async (t) => {
  const { chain, state } = seller
  const access = { rpcUrl: chain.rpcUrl, network: BASE_SEPOLIA, finalTag: 'latest' } as const
  const facilitator = await startFacilitator({ access, state }, t)
  const supported = await fetch(`${facilitator.url}/supported`).then((answer) => answer.json())
  const { kinds, isTest, isLocal } = supported as {
    kinds: { network: string }[]
    isTest: boolean
    isLocal: boolean
  }
  assert.deepEqual([...new Set(kinds.map(({ network }) => network))], ['eip155:84532', 'base-sepolia'])
  assert.deepEqual([isTest, isLocal], [true, true])

  const challenge = await fetch(urlOf(CONTRAST_PATH))
  const required = decodePaymentRequiredHeader(challenge.headers.get('payment-required') ?? '')
  const signer = toClientEvmSigner(privateKeyToAccount(chain.accounts[6].privateKey), chainOf(seller))
  const payload = await new x402Client()
    .register(BASE_SEPOLIA.id, new ExactEvmScheme(signer))
    .createPaymentPayload(required)
  const settled = await facilitator.client.settle(payload, payload.accepted)
  assert.equal(settled.success, true, JSON.stringify(settled))
  assert.equal(settled.network, 'eip155:84532')
  const unread = await facilitator.post('/settle', { x402Version: 2 })
  assert.equal(unread.body.network, 'eip155:84532')
})

test('tollbook start runs everything on a local Base Sepolia, without reports', async (t) => {
  const environment = {
    ...withoutSettings(),
    ...Object.fromEntries(PORTS.map((name) => [`TOLLBOOK_${name}_PORT`, '0'])),
    TOLLBOOK_DATA_DIR: temporaryFolder('start'),
  }
  const started = await startCommand(['start', '--network', 'base-sepolia'], environment)
  t.after(() => started.close())
  const { utility, report, facilitator, 'dev chain': devChain = '' } = started.addresses
  assert.equal(report, undefined)
  assert.ok(facilitator)
  assert.match(started.lines.join('\n'), /play money, not Base Sepolia/)
  const words = ['call', `${utility}${CONTRAST_PATH}`, '--yes', '--network', 'base-sepolia']
  const { code, stderr } = await runCommand(words, {
    ...environment,
    TOLLBOOK_DEVCHAIN_PORT: new URL(devChain.split(' ')[0] ?? '').port,
  })
  assert.match(stderr, /200 paid \$0\.001 in transaction 0x/)
  assert.equal(code, 0)
})

test('a network of a file is sold by version 2', async (t) => {
  const file = join(temporaryFolder('network'), 'own.json')
  const own = JSON.stringify({
    name: 'own-chain',
    title: 'Own chain',
    chain_id: 31_337,
    is_test: false,
    token: { address: `0x${'ab'.repeat(20)}`, name: 'Own Dollars', version: '7', decimals: 6 },
    explorer_url: 'https://explorer.example',
    block_seconds: 1,
  })
  writeFileSync(file, own)
  const shop = await startSeller({ endpoints: [contrast], settings: { TOLLBOOK_NETWORK: file } })
  t.after(() => shop.close())
  const url = `${shop.url}${CONTRAST_PATH}`
  const paying = stockFetch(shop.chain.accounts[0], readNetworkFile(own).id, shop)
  await requireCharge(CONTRAST_PRICE, () => paying(url), shop)
  // Its clients know no other networks than those of their table.
  const { accepts } = (await fetch(url).then((answer) => answer.json())) as { accepts: unknown[] }
  assert.deepEqual(accepts, [])
})
