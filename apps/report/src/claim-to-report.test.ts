import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_ADDRESSES, DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import type { Address } from '@tollbook/chain/hex'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { createWalletSignatures } from '@tollbook/chain/wallet-signatures'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { placeWalletFactory, planWallet } from '@tollbook/testing/chain/dev-wallet'
import { testLedgerUrl } from '@tollbook/testing/ledger/open-test-ledger'
import { sendCall, toAuthorizedTransfer } from '@tollbook/testing/report/chain-payments'
import { clientOf } from '@tollbook/testing/report/claiming'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { pino } from 'pino'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { openEvidencePieces } from './evidence/evidence-pieces.ts'
import { openPipeline, type Pipeline } from './pipeline.ts'
import { createReportApp } from './service.ts'
import type { State } from './state/state.ts'

const FACILITATOR = `0x${'fa'.repeat(20)}` as const
const BASE_URL = 'https://report.example'
const signal = new AbortController().signal
const logger = pino({ level: 'silent' })

let chain: DevChain
let state: State
let pipeline: Pipeline
before(async () => {
  chain = await startDevChain({ port: 0, clock: 'stopped' })
  await chain.fundGas(FACILITATOR)
  await placeWalletFactory(chain)
  state = await openTestState()
  pipeline = await openPipeline(
    {
      state,
      logger,
      ledgerUrl: testLedgerUrl(),
      rpcUrls: [chain.rpcUrl],
      baseUrl: BASE_URL,
      archive: openEvidencePieces(state, () => new Date()),
      head: 'latest',
      finalHead: 'latest',
      firstBlock: 0,
      moreFacilitators: [FACILITATOR],
      listingSources: [],
      fetch: () => Promise.reject(new Error('no source is read here')),
      pollMs: 100,
      publishSeconds: 1,
      now: () => new Date(Date.UTC(2026, 10, 15)),
    },
    signal,
  )
})
after(async () => {
  await pipeline.close()
  await state.close()
  await chain.close()
})

async function pay(payer: number, to: Address, amount: bigint): Promise<void> {
  await sendCall(chain, FACILITATOR, await toAuthorizedTransfer({ payer, to, amount, salt: `${payer}` }))
}

test('a wallet that is not deployed yet claims its report, and a disclosed wallet counts as the merchant itself', async () => {
  const owner = privateKeyToAccount(DEV_CLIENT_KEYS[0])
  const { address, wrap } = await planWallet(chain, owner, keccak256('0x01'))
  await pay(1, address, 300_000n)
  await pay(2, address, 20_000n)
  await chain.skipTime(1)
  await pipeline.indexToHead(signal)
  await pipeline.publish(signal)

  const wallets = createWalletSignatures(createReadRpc({ url: chain.rpcUrl }))
  const { evidence } = pipeline
  const app = createReportApp({
    state,
    evidence,
    logger,
    wallets,
    baseUrl: BASE_URL,
    publishSeconds: 1,
    freshMs: 0,
  })
  const { post, challenge, record } = clientOf(app)
  const read = async () => {
    const response = await app.request(`/merchants/base/${address}.json`)
    const { claimed, tx, usd, real_tx, real_usd, flags } = (await response.json()) as MerchantReport
    return { claimed, tx, usd, real_tx, real_usd, flags }
  }
  const sign = async (message: string) => wrap(await owner.signMessage({ message }))
  const unclaimed = { claimed: false, tx: 2, usd: 0.32, real_tx: 2, real_usd: 0.32, flags: {} }
  assert.deepEqual(await read(), unclaimed)

  const wish = {
    address,
    statement: 'The second buyer is our own test.',
    disclosures: [DEV_CLIENT_ADDRESSES[2]],
  }
  const { message } = (await challenge(wish)).body
  assert.equal((await post('/claims', { message, signature: await sign(message) })).status, 201)
  assert.equal((await record(address)).claimed, true)
  assert.deepEqual(await read(), unclaimed)
  assert.ok((await (await app.request(`/merchants/base/${address}`)).text()).includes(wish.statement))

  await pipeline.publish(signal)
  const claimed = { ...unclaimed, claimed: true, real_tx: 1, real_usd: 0.3 }
  assert.deepEqual(await read(), { ...claimed, flags: { self_pay: { tx: 1, usd: 0.02 } } })

  const withdrawal = (await challenge({ address, action: 'withdraw' })).body.message
  assert.equal(
    (await post('/claims', { message: withdrawal, signature: await sign(withdrawal) })).status,
    201,
  )
  await pipeline.publish(signal)
  assert.deepEqual(await read(), unclaimed)
})
