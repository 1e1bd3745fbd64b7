import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { type AnswerRequests, startJsonRpcServer } from '@tollbook/testing/chain/json-rpc-server'
import { exactTerms, payTerms } from '@tollbook/testing/payments/offered-payment'
import {
  openSettlementStage,
  type SettlementStage,
  settleWhole,
} from '@tollbook/testing/payments/settlement-stage'
import { pino } from 'pino'
import { type Hex, keccak256, type TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createInProcessFacilitator } from './in-process-facilitator.ts'
import { createRemoteSigner } from './remote-signer.ts'

/** anvil has the keys of the ten standard accounts, and signs with them as a remote signer does. */
const held = privateKeyToAccount(DEV_CLIENT_KEYS[9])
const other = privateKeyToAccount(DEV_CLIENT_KEYS[8])
const address = held.address.toLowerCase() as Hex
const FIELDS = {
  nonce: 7,
  call: { to: devPayTo.utility, data: '0xabcdef' },
  gas: 21_000n,
  fees: { maxFeePerGas: 3n, maxPriorityFeePerGas: 1n },
} as const
const TYPED = {
  domain: { name: 'x402 Batch Settlement', version: '1', chainId: 8453 },
  types: { Claim: [{ name: 'amount', type: 'uint128' }] },
  primaryType: 'Claim',
  message: { amount: 5n },
} as const satisfies TypedDataDefinition

let stage: SettlementStage
let signer: Awaited<ReturnType<typeof startJsonRpcServer>>
before(async () => {
  ;[stage, signer] = await Promise.all([openSettlementStage(), startJsonRpcServer()])
})
after(async () => {
  signer.close()
  await stage.close()
})

const answering =
  (results: (method: string) => object): AnswerRequests =>
  (requests) =>
    requests.map(({ id, method }) => ({ jsonrpc: '2.0', id, ...results(method) }))

test('a payment settles by a wallet whose key is only in the signer', async () => {
  const facilitator = await stage.openFacilitator({ key: held.address, signerUrl: stage.chain.rpcUrl })
  assert.equal(facilitator.address, address)
  const payment = await payTerms(await stage.newPayer(), exactTerms('2237'))
  const { settlement } = await settleWhole(facilitator, payment)
  assert(settlement.outcome === 'settled')
  const sent = (await stage.chain.rpc.call('eth_getTransactionByHash', [settlement.transaction])) as {
    from: string
  }
  assert.equal(sent.from, address)
})

test('its transactions and typed data are those that the key itself would sign', async () => {
  const remote = createRemoteSigner({ url: stage.chain.rpcUrl, address })
  const { raw, hash } = await remote.signTransaction(8453, FIELDS)
  const { call, fees, ...numbers } = FIELDS
  const expected = await held.signTransaction({
    type: 'eip1559',
    chainId: 8453,
    ...numbers,
    ...call,
    ...fees,
  })
  assert.equal(raw, expected)
  assert.equal(hash, keccak256(expected))
  assert.equal(await remote.signTypedData(TYPED), await held.signTypedData(TYPED))
})

test('geth answers with an object, and Web3Signer has only the older name for typed data', async () => {
  const remote = createRemoteSigner({ url: signer.url, address })
  const { call, fees, ...numbers } = FIELDS
  const raw = await held.signTransaction({ type: 'eip1559', chainId: 8453, ...numbers, ...call, ...fees })
  signer.setAnswer(answering(() => ({ result: { raw, tx: {} } })))
  assert.equal((await remote.signTransaction(8453, FIELDS)).raw, raw)
  const signature = await held.signTypedData(TYPED)
  signer.setAnswer(
    answering((method) =>
      method === 'eth_signTypedData'
        ? { result: signature }
        : { error: { code: -32601, message: 'Method not found' } },
    ),
  )
  assert.equal(await remote.signTypedData(TYPED), signature)
})

test('a signature of another transaction or by another key is refused, and nothing is sent', async () => {
  const { call, fees, ...numbers } = FIELDS
  const order = { type: 'eip1559', chainId: 8453, ...numbers, ...call, ...fees } as const
  const wrong = [
    await other.signTransaction(order),
    await held.signTransaction({ ...order, to: other.address }),
    await held.signTransaction({ ...order, maxFeePerGas: 10n ** 12n }),
    '0x02',
    'no',
    null,
  ]
  const remote = createRemoteSigner({ url: signer.url, address })
  for (const result of wrong) {
    signer.setAnswer(answering(() => ({ result })))
    await assert.rejects(remote.signTransaction(8453, FIELDS), { name: 'InvalidAnswer' })
  }
  signer.setAnswer(answering(() => ({ result: wrong[0] })))
  await assert.rejects(remote.signTypedData(TYPED), { name: 'InvalidAnswer' })

  const facilitator = await stage.openFacilitator({ key: held.address, signerUrl: signer.url })
  const payment = await payTerms(await stage.newPayer(), exactTerms('2237'))
  const count = await stage.chain.rpc.call('eth_getTransactionCount', [address, 'pending'])
  const { settlement } = await settleWhole(facilitator, payment)
  assert.equal(settlement.outcome, 'failed')
  assert.equal(await stage.chain.rpc.call('eth_getTransactionCount', [address, 'pending']), count)
})

test('an address without a signer is no key', async () => {
  const options = { chain: stage.access, state: stage.state, logger: pino({ level: 'silent' }) }
  await assert.rejects(createInProcessFacilitator({ ...options, key: held.address }), TypeError)
})
