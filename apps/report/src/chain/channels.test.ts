import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import {
  clientAccount,
  sendCall,
  toPermit2Approval,
  toPermit2Settlement,
  toProxySettlement,
} from '@tollbook/testing/report/chain-payments'
import { useChannels } from '@tollbook/testing/report/payment-channels'
import { readChain } from '@tollbook/testing/report/read-chain'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { EVIDENCE } from '@tollbook/verify/chain/payment'
import { readMerchant } from '@tollbook/verify/recompute/read-merchant'

type Hex = `0x${string}`
const SHOP = `0x${'5a'.repeat(20)}` as const
const BAR = `0x${'5b'.repeat(20)}` as const
/** A merchant's contract that stores a claim. */
const KEEPER = `0x${'ce'.repeat(20)}` as const
const signal = new AbortController().signal

let chain: DevChain
let channels: ReturnType<typeof useChannels>

before(async () => {
  chain = await startDevChain({ port: 0 })
  await chain.fundGas(BAR)
  channels = useChannels(chain)
})
after(() => chain.close())

test('claims of channels are payments; deposits, settlements and refunds are not', async () => {
  const ann = await channels.openChannel({ key: DEV_CLIENT_KEYS[0], receiver: SHOP, deposit: 50_000n })
  const ben = await channels.openChannel({ key: DEV_CLIENT_KEYS[1], receiver: BAR, deposit: 30_000n })
  await channels.claim([await ann.voucher(12_000n), await ben.voucher(7_000n)])
  await channels.claim([await ann.voucher(20_000n)])
  await channels.settle({ type: 'settle', receiver: SHOP, token: BASE.usdc })
  await channels.refund(ann, 10_000n)
  await channels.claim([await ann.voucher(25_000n)])

  const { payments, misses } = await readChain(chain.rpcUrl)
  assert.deepEqual(
    payments.map(({ buyer, merchant, amount }) => [buyer, merchant, amount]),
    [
      [ann.payer, SHOP, 12_000n],
      [ben.payer, BAR, 7_000n],
      [ann.payer, SHOP, 8_000n],
      [ann.payer, SHOP, 5_000n],
    ],
  )
  assert.ok(payments.every(({ evidence }) => (evidence & EVIDENCE.claim) !== 0))
  assert.equal(misses, 0)
  for (const receiver of [SHOP, BAR])
    assert.equal(sumOf(payments, receiver), await channels.claimedBy(receiver))
  assert.equal(await channels.claimedOf(ann.id), 25_000n)

  const verified = await readMerchant(
    {
      rpc: createReadRpc({ url: chain.rpcUrl }),
      contracts: BASE_CONTRACTS,
      facilitators: new Set(),
      wallets: [SHOP],
      firstBlock: 0,
      endBlock: (await head()) + 1,
    },
    signal,
  )
  assert.deepEqual(
    verified.received,
    payments.filter(({ merchant }) => merchant === SHOP),
  )
})

test('a claim that a reorganisation removed is a payment no longer', async () => {
  const cat = await channels.openChannel({ key: DEV_CLIENT_KEYS[2], receiver: BAR, deposit: 30_000n })
  const snapshot = await chain.rpc.call('evm_snapshot')
  await channels.claim([await cat.voucher(9_000n)])
  assert.equal(sumOf((await readChain(chain.rpcUrl)).payments, BAR), await channels.claimedBy(BAR))
  await chain.rpc.call('evm_revert', [snapshot])
  await channels.claim([await cat.voucher(4_000n)])
  assert.equal(await channels.claimedBy(BAR), 11_000n)
  assert.equal(sumOf((await readChain(chain.rpcUrl)).payments, BAR), 11_000n)
})

test('a claim whose calldata lacks the terms is proven by the creation of its channel', async () => {
  const dan = await channels.openChannel({ key: DEV_CLIENT_KEYS[3], receiver: KEEPER, deposit: 30_000n })
  const snapshot = await chain.rpc.call('evm_snapshot')
  const hash = await channels.claim([await dan.voucher(6_000n)])
  const { input } = await channels.toReader().getTransaction({ hash })
  await chain.rpc.call('evm_revert', [snapshot])
  await chain.rpc.call('anvil_setCode', [KEEPER, toCaller(input)])
  await sendCall(chain, BAR, { to: KEEPER, data: '0x' })

  const { payments } = await readChain(chain.rpcUrl)
  assert.deepEqual(
    payments.filter(({ merchant }) => merchant === KEEPER).map(({ buyer, amount }) => [buyer, amount]),
    [[dan.payer, 6_000n]],
  )
  assert.equal(sumOf(payments, KEEPER), await channels.claimedBy(KEEPER))
})

test('a deposit over Permit2 is no payment, through a collector or a proxy', async () => {
  const [, collector = '0x'] = CONTRACTS.channelCollectors
  const code = await channels.toReader().getCode({ address: CONTRACTS.exactPermit2Proxy })
  await chain.rpc.call('anvil_setCode', [collector, code])
  const payer = clientAccount(5).address
  await sendCall(chain, payer, toPermit2Approval())
  const { payments: before } = await readChain(chain.rpcUrl)
  const deposit = { payer: 5, to: CONTRACTS.channelEscrow, amount: 40_000n }
  await sendCall(chain, payer, await toProxySettlement({ ...deposit, salt: 'collector' }, collector))
  await sendCall(chain, payer, await toPermit2Settlement({ ...deposit, salt: 'proxy' }))
  assert.deepEqual((await readChain(chain.rpcUrl)).payments, before)
})

test('a claim whose terms are in another token is a miss, and no payment', async () => {
  const { payments, misses } = await readChain(chain.rpcUrl, {
    ...BASE_CONTRACTS,
    usdc: `0x${'99'.repeat(20)}`,
  })
  assert.deepEqual(payments, [])
  assert.ok(misses > 0)
})

/** Code of a contract that calls the escrow with data that it contains. */
function toCaller(data: Hex): Hex {
  const size = ((data.length - 2) / 2).toString(16).padStart(4, '0')
  // CODECOPY(0, 43, size), CALL(gas, escrow, 0, 0, size, 0, 0), then STOP if it succeeded.
  const code = `61${size}602b5f39` + `5f5f61${size}5f5f73${CONTRACTS.channelEscrow.slice(2)}5af1602957fe5b00`
  return `0x${code}${data.slice(2)}`
}

function sumOf(
  payments: readonly { readonly merchant: Hex; readonly amount: bigint }[],
  receiver: Hex,
): bigint {
  const own = payments.filter(({ merchant }) => merchant === receiver)
  return own.reduce((sum, { amount }) => sum + amount, 0n)
}

async function head(): Promise<number> {
  return Number(await channels.toReader().getBlockNumber({ cacheTime: 0 }))
}
