import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { toCancelTypedData, toTransferTypedData } from '@tollbook/testing/chain/authorization-typed-data'
import { base } from '@tollbook/testing/chain/base-chain'
import {
  createWalletClient,
  type Hex,
  http,
  parseSignature,
  publicActions,
  serializeSignature,
  toHex,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type DevChain, startDevChain } from '../dev-chain.ts'
import { devUsdcAbi } from './abis.ts'
import { type Authorization, toPermitTypedData, toReceiveTypedData } from './typed-data.ts'

const USDC = { address: BASE.usdc, abi: devUsdcAbi } as const
const merchant = devPayTo.social
const payer = privateKeyToAccount(DEV_CLIENT_KEYS[0])
const relayer = privateKeyToAccount(DEV_CLIENT_KEYS[1])
/** Order of secp256k1, SEC 2 section 2.4.1. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let chain: DevChain
before(async () => {
  chain = await startDevChain({ port: 0 })
  wallet = walletOf(relayer)
})
after(() => chain.close())

const walletOf = (account: PrivateKeyAccount) =>
  createWalletClient({
    account,
    chain: base,
    transport: http(chain.rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions)
let wallet: ReturnType<typeof walletOf>

let lastNonce = 0n
function toAuthorization(given: Partial<Authorization> = {}): Authorization {
  lastNonce += 1n
  const nonce = toHex(lastNonce, { size: 32 })
  const validBefore = BigInt(Math.floor(Date.now() / 1000) + 60)
  return { from: payer.address, to: merchant, value: 1000n, validAfter: 0n, validBefore, nonce, ...given }
}

type Signed = readonly [Hex, Hex, bigint, bigint, bigint, Hex, Hex]
const toArguments = (a: Authorization, signature: Hex): Signed => [
  a.from,
  a.to,
  a.value,
  a.validAfter,
  a.validBefore,
  a.nonce,
  signature,
]
const balanceOf = (account: Hex) =>
  wallet.readContract({ ...USDC, functionName: 'balanceOf', args: [account] })
const simulateTransfer = (args: Signed) =>
  wallet.simulateContract({ ...USDC, functionName: 'transferWithAuthorization', args })

async function sendTransfer(args: Signed) {
  const hash = await wallet.writeContract({ ...USDC, functionName: 'transferWithAuthorization', args })
  return wallet.waitForTransactionReceipt({ hash })
}

test('the domain separator is that of USDC on Base', async () => {
  // Read from FiatTokenV2_2 with chain id 8453 at the canonical address.
  assert.equal(
    await wallet.readContract({ ...USDC, functionName: 'DOMAIN_SEPARATOR' }),
    '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
  )
})

test('both forms of transferWithAuthorization pay, and log the use right before the transfer', async () => {
  const earned = await balanceOf(merchant)
  const first = toAuthorization()
  const receipt = await sendTransfer(
    toArguments(first, await payer.signTypedData(toTransferTypedData(first))),
  )
  const topics = receipt.logs.map((log) => log.topics[0])
  assert.deepEqual(topics, [
    '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5', // AuthorizationUsed
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', // Transfer
  ])

  const second = toAuthorization()
  const { r, s, v } = parseSignature(await payer.signTypedData(toTransferTypedData(second)))
  const [from, to, value, validAfter, validBefore, nonce] = toArguments(second, '0x')
  const hash = await wallet.writeContract({
    ...USDC,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, Number(v), r, s],
  })
  await wallet.waitForTransactionReceipt({ hash })
  assert.equal(await balanceOf(merchant), earned + 2000n)
})

test('an authorization pays once', async () => {
  const authorization = toAuthorization()
  const args = toArguments(authorization, await payer.signTypedData(toTransferTypedData(authorization)))
  await sendTransfer(args)
  await assert.rejects(simulateTransfer(args), /FiatTokenV2: authorization is used or canceled/)
})

test('an authorization is valid only within its lifetime', async () => {
  const now = BigInt(Math.floor(Date.now() / 1000))
  const expired = toAuthorization({ validBefore: now - 5n })
  const early = toAuthorization({ validAfter: now + 50n })
  const sign = (authorization: Authorization) => payer.signTypedData(toTransferTypedData(authorization))
  await assert.rejects(
    simulateTransfer(toArguments(expired, await sign(expired))),
    /FiatTokenV2: authorization is expired/,
  )
  await assert.rejects(
    simulateTransfer(toArguments(early, await sign(early))),
    /FiatTokenV2: authorization is not yet valid/,
  )
})

test('the high-s twin of a signature, a changed amount and an insufficient balance are rejected', async () => {
  const authorization = toAuthorization()
  const signature = await payer.signTypedData(toTransferTypedData(authorization))
  const { r, s, yParity } = parseSignature(signature)
  const twin = serializeSignature({
    r,
    s: toHex(CURVE_ORDER - BigInt(s), { size: 32 }),
    yParity: yParity === 0 ? 1 : 0,
  })
  await assert.rejects(
    simulateTransfer(toArguments(authorization, twin)),
    /ECRecover: invalid signature 's' value/,
  )
  await assert.rejects(
    simulateTransfer(toArguments({ ...authorization, value: 1001n }, signature)),
    /FiatTokenV2: invalid signature/,
  )
  const rich = toAuthorization({ value: 10n ** 12n })
  await assert.rejects(
    simulateTransfer(toArguments(rich, await payer.signTypedData(toTransferTypedData(rich)))),
    /ERC20: transfer amount exceeds balance/,
  )
})

test('receiveWithAuthorization pays only when the payee submits it', async () => {
  const payee = privateKeyToAccount(DEV_CLIENT_KEYS[2])
  const authorization = toAuthorization({ to: payee.address })
  const args = toArguments(authorization, await payer.signTypedData(toReceiveTypedData(authorization)))
  const call = { ...USDC, functionName: 'receiveWithAuthorization', args } as const
  await assert.rejects(wallet.simulateContract(call), /FiatTokenV2: caller must be the payee/)
  const before = await balanceOf(payee.address)
  const payeeWallet = walletOf(payee)
  await payeeWallet.waitForTransactionReceipt({ hash: await payeeWallet.writeContract(call) })
  assert.equal(await balanceOf(payee.address), before + 1000n)
})

test('a cancelled authorization cannot pay', async () => {
  const authorization = toAuthorization()
  const args = toArguments(authorization, await payer.signTypedData(toTransferTypedData(authorization)))
  const { from: authorizer, nonce } = authorization
  const cancellation = await payer.signTypedData(toCancelTypedData({ authorizer, nonce }))
  const hash = await wallet.writeContract({
    ...USDC,
    functionName: 'cancelAuthorization',
    args: [authorizer, nonce, cancellation],
  })
  await wallet.waitForTransactionReceipt({ hash })
  await assert.rejects(simulateTransfer(args), /FiatTokenV2: authorization is used or canceled/)
})

test('a contract wallet pays if its EIP-1271 check accepts the signature', async () => {
  // PUSH4 0x1626ba7e, shifted to the left of the word, returned: a wallet that accepts every signature.
  const accepting = '0x631626ba7e60e01b60005260206000f3'
  const smartWallet = '0x00000000000000000000000000000000005afe01'
  await chain.rpc.call('anvil_setCode', [smartWallet, accepting])
  await chain.fundUsdc(smartWallet, 5000n)
  const args = toArguments(toAuthorization({ from: smartWallet }), '0x1234')
  await chain.rpc.call('anvil_setCode', [smartWallet, '0xfe']) // INVALID
  await assert.rejects(simulateTransfer(args), /FiatTokenV2: invalid signature/)
  await chain.rpc.call('anvil_setCode', [smartWallet, accepting])
  await sendTransfer(args)
  assert.equal(await balanceOf(smartWallet), 4000n) // 5000 - 1000
})

test('both forms of permit set an allowance once', async () => {
  const spender = CONTRACTS.permit2
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 60)
  for (const value of [7n, 8n]) {
    const owner = payer.address
    const nonce = await wallet.readContract({ ...USDC, functionName: 'nonces', args: [owner] })
    const signature = await payer.signTypedData(toPermitTypedData({ owner, spender, value, nonce, deadline }))
    const { r, s, v } = parseSignature(signature)
    const byParts = {
      ...USDC,
      functionName: 'permit',
      args: [owner, spender, value, deadline, Number(v), r, s],
    } as const
    const byBytes = {
      ...USDC,
      functionName: 'permit',
      args: [owner, spender, value, deadline, signature],
    } as const
    const hash = value === 7n ? await wallet.writeContract(byParts) : await wallet.writeContract(byBytes)
    await wallet.waitForTransactionReceipt({ hash })
    const allowance = { ...USDC, functionName: 'allowance', args: [owner, spender] } as const
    assert.equal(await wallet.readContract(allowance), value)
    await assert.rejects(wallet.simulateContract(byBytes), /EIP2612: invalid signature/)
  }
})
