import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { wrap as wrapFaremeter } from '@faremeter/fetch'
import { createPaymentHandler } from '@faremeter/payment-evm/exact'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { type Seller, startSeller } from '@tollbook/testing/paying/seller'
import { contrast } from '@tollbook/utility/endpoints/api/a11y/contrast/endpoint'
import { exportAll } from '@tollbook/utility/endpoints/api/store/export/endpoint'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import {
  type EIP712SignedReceipt,
  extractReceiptFromResponse,
  verifyReceiptSignatureEIP712,
} from '@x402/extensions/offer-receipt'
import { createSIWxClientExtension } from '@x402/extensions/sign-in-with-x'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { create as createAxios } from 'axios'
import { Receipt } from 'mppx'
import { Mppx } from 'mppx/client'
import { evm } from 'mppx/evm/client'
import { createPublicClient, createWalletClient, http, maxUint256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { withPaymentInterceptor } from 'x402-axios'
import { decodeXPaymentResponse, wrapFetchWithPayment as wrapFetchWithPaymentV1 } from 'x402-fetch'
import { spell } from '../paying/metered-endpoint.ts'
import { withoutX402 } from '../paying/stock-clients.ts'

const ERC20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256) returns (bool)',
])
const CONTRAST_PATH = '/api/a11y/contrast?fg=%23777&bg=%23fff'

let seller: Seller
before(async () => {
  seller = await startSeller({ endpoints: [contrast, spell, exportAll], portsOf: (state) => ({ state }) })
})
after(() => seller?.close())

const chainOf = () => createPublicClient({ transport: http(seller.chain.rpcUrl) })
const earned = () =>
  chainOf().readContract({
    address: BASE.usdc,
    abi: ERC20,
    functionName: 'balanceOf',
    args: [devPayTo.utility],
  })

function stockFetch(account: number): typeof fetch {
  const signer = toClientEvmSigner(privateKeyToAccount(DEV_CLIENT_KEYS[account] ?? '0x'), chainOf())
  const client = new x402Client()
    .register(BASE.id, new ExactEvmScheme(signer))
    .register(BASE.id, new UptoEvmScheme(signer, { rpcUrl: seller.chain.rpcUrl }))
  return wrapFetchWithPayment(fetch, client) as typeof fetch
}

/** Runs a call and returns its answer and how many micro-USDC the seller received. */
async function buy(call: () => Promise<Response>): Promise<{ response: Response; taken: bigint }> {
  const before = await earned()
  const response = await call()
  return { response, taken: (await earned()) - before }
}

test('@x402/fetch pays an exact route', async () => {
  const { response, taken } = await buy(() => stockFetch(0)(`${seller.url}${CONTRAST_PATH}`))
  assert.equal(response.status, 200)
  assert.equal(taken, 1000n)
  const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
  assert.equal(receipt.success, true)
  const mined = await chainOf().getTransactionReceipt({ hash: receipt.transaction as `0x${string}` })
  assert.equal(mined.status, 'success')
  const signed = extractReceiptFromResponse(response) as EIP712SignedReceipt
  const { signer, payload } = await verifyReceiptSignatureEIP712(signed)
  assert.equal(signer, devPayTo.utility)
  assert.equal(payload.transaction, receipt.transaction)
})

test('@x402/fetch pays an upto route without a prior allowance, charged per letter', async () => {
  const { response, taken } = await buy(() => stockFetch(1)(`${seller.url}/test/spell?word=tollbook`))
  assert.equal(response.status, 200)
  assert.equal(taken, 8000n)
})

test('@x402/fetch pays an upto route with a prior allowance', async () => {
  const account = privateKeyToAccount(DEV_CLIENT_KEYS[2])
  const wallet = createWalletClient({ account, transport: http(seller.chain.rpcUrl) })
  const hash = await wallet.writeContract({
    address: BASE.usdc,
    abi: ERC20,
    functionName: 'approve',
    chain: null,
    args: [CONTRACTS.permit2, maxUint256],
  })
  await chainOf().waitForTransactionReceipt({ hash, pollingInterval: 20 })
  const { response, taken } = await buy(() => stockFetch(2)(`${seller.url}/test/spell?word=toll`))
  assert.equal(response.status, 200)
  assert.equal(taken, 4000n)
})

test('@x402/fetch with its SIGN-IN-WITH-X buys an export once, and gets it again without paying', async () => {
  const account = privateKeyToAccount(DEV_CLIENT_KEYS[5])
  const scheme = new ExactEvmScheme(toClientEvmSigner(account, chainOf()))
  const client = new x402Client().register(BASE.id, scheme)
  client.registerExtension(createSIWxClientExtension({ signers: [account] }))
  const paying = wrapFetchWithPayment(fetch, client)
  for (const price of [1000n, 0n]) {
    const { response, taken } = await buy(() => paying(`${seller.url}${exportAll.path}`))
    assert.equal(response.status, 200)
    assert.match(await response.text(), /{"type":"end","collections":0,"rows":0}\n$/)
    assert.equal(taken, price)
  }
})

test('@faremeter/fetch pays an exact route', async () => {
  const account = privateKeyToAccount(DEV_CLIENT_KEYS[4])
  const handler = createPaymentHandler({
    chain: { id: BASE.chainId, name: 'Base' },
    address: account.address,
    account: { signTypedData: (typed) => account.signTypedData(typed as never) },
  })
  const paying = wrapFaremeter(fetch, { handlers: [handler] })
  const { response, taken } = await buy(() => paying(`${seller.url}${CONTRAST_PATH}`))
  assert.equal(response.status, 200)
  assert.equal(taken, 1000n)
})

test('mppx pays an exact route by MPP, and its receipt names the transaction', async () => {
  const account = privateKeyToAccount(DEV_CLIENT_KEYS[3])
  const mppx = Mppx.create({
    methods: [evm.charge({ account, currencies: [evm.assets.base.USDC] })],
    fetch: withoutX402,
    polyfill: false,
  })
  const { response, taken } = await buy(() => mppx.fetch(`${seller.url}${CONTRAST_PATH}`))
  assert.equal(response.status, 200)
  assert.equal(taken, 1000n)
  const receipt = Receipt.fromResponse(response)
  assert.equal(receipt.method, 'evm')
  const mined = await chainOf().getTransactionReceipt({ hash: receipt.reference as `0x${string}` })
  assert.equal(mined.status, 'success')
  assert.equal(response.headers.get('payment-response'), null)
})

test('mppx pays an exact route where both protocols are offered', async () => {
  const account = privateKeyToAccount(DEV_CLIENT_KEYS[5])
  const methods = [evm.charge({ account, currencies: [evm.assets.base.USDC] })]
  const mppx = Mppx.create({ methods, polyfill: false })
  const { response, taken } = await buy(() => mppx.fetch(`${seller.url}${CONTRAST_PATH}`))
  assert.equal(response.status, 200)
  assert.equal(taken, 1000n)
})

/** A wallet of version 1 clients. */
function walletOf(account: number) {
  return createWalletClient({
    account: privateKeyToAccount(DEV_CLIENT_KEYS[account] ?? '0x'),
    chain: base,
    transport: http(seller.chain.rpcUrl),
  })
}

test('x402-fetch 1.2.0 pays an exact route by version 1', async () => {
  const paying = wrapFetchWithPaymentV1(fetch, walletOf(6))
  const { response, taken } = await buy(() => paying(`${seller.url}${CONTRAST_PATH}`))
  assert.equal(response.status, 200)
  assert.equal(taken, 1000n)
  const receipt = decodeXPaymentResponse(response.headers.get('x-payment-response') ?? '')
  assert.equal(receipt.success, true)
  assert.equal(receipt.network, 'base')
})

test('x402-axios 0.7.2 pays an exact route by version 1', async () => {
  const paying = withPaymentInterceptor(createAxios(), walletOf(7))
  const { response, taken } = await buy(async () => {
    const { status, headers } = await paying.get(`${seller.url}${CONTRAST_PATH}`)
    return new Response(null, {
      status,
      headers: { 'x-payment-response': headers['x-payment-response'] ?? '' },
    })
  })
  assert.equal(response.status, 200)
  assert.equal(taken, 1000n)
  assert.ok(decodeXPaymentResponse(response.headers.get('x-payment-response') ?? '').success)
})

test('mppx validate finds no fault: MPP on the exact routes, none on the metered one', async () => {
  const cli = fileURLToPath(import.meta.resolve('mppx')).replace('index.js', 'bin.js')
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'validate', seller.url, '-j'], {
    maxBuffer: 10_000_000,
  })
  type Check = { readonly label: string; readonly severity: string }
  type Part = 'challenge' | 'errorHandling' | 'payment'
  const found = JSON.parse(stdout) as {
    readonly discovery: { readonly checks: readonly Check[] }
    readonly endpoints: readonly ({ readonly path: string } & Readonly<Record<Part, readonly Check[]>>)[]
  }
  const checks = [
    ...found.discovery.checks,
    ...found.endpoints.flatMap((one) => [...one.challenge, ...one.errorHandling, ...one.payment]),
  ]
  assert.deepEqual(
    checks.filter(({ severity }) => severity === 'fail' || severity === 'warn'),
    [],
  )
  for (const { path, challenge } of found.endpoints) {
    const isMpp = challenge.some(({ label }) => label === 'Challenge parseable')
    assert.equal(isMpp, path.startsWith('/api/'), path)
  }
  assert.equal(found.endpoints.length, 3)
})
