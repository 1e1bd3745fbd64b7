import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { devChannelEscrowAbi } from '@tollbook/testing/chain/dev-abis'
import { type Seller, startSeller } from '@tollbook/testing/paying/seller'
import { calc } from '@tollbook/utility/endpoints/api/calc/endpoint'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { sql } from 'kysely'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const DELAY_SECONDS = 900
/** micro-USDC */
const PRICE = 1000n
const DEPOSIT = 50n * PRICE

let seller: Seller
before(async () => {
  seller = await startSeller({
    endpoints: [calc],
    settings: {
      TOLLBOOK_CHANNEL_QUIET_SECONDS: '3600',
      TOLLBOOK_CHANNEL_WITHDRAW_SECONDS: `${DELAY_SECONDS}`,
    },
    limits: { heartbeatMs: 100 },
  })
  // The chain does not accept deposits of today after a test has moved its time.
  const dust = openPayer(4)
  await seller.chain.fundGas(dust.address)
  assert.equal((await dust.buy('8+8')).status, 200)
})
after(() => seller?.close())

const chainOf = () => createPublicClient({ transport: http(seller.chain.rpcUrl) })
const balanceOf = (address: `0x${string}`) =>
  chainOf().readContract({ address: BASE.usdc, abi: devUsdcAbi, functionName: 'balanceOf', args: [address] })

async function readRow(payer: string) {
  const rows = await seller.state.db.selectFrom('payment_channel').selectAll().execute()
  const row = rows.find(({ config }) => JSON.parse(config).payer === payer.toLowerCase())
  assert.ok(row)
  return row
}

/** A payer who can also withdraw from its channel by itself. */
function openPayer(index: number) {
  const account = privateKeyToAccount(DEV_CLIENT_KEYS[index] ?? '0x')
  const wallet = createWalletClient({ account, transport: http(seller.chain.rpcUrl) })
  const scheme = new BatchSettlementEvmScheme(toClientEvmSigner(account, chainOf()), {
    storage: new InMemoryClientChannelStorage(),
  })
  const pay = wrapFetchWithPayment(fetch, new x402Client().register(BASE.id, scheme))
  const send = async (functionName: 'initiateWithdraw' | 'finalizeWithdraw', args: readonly unknown[]) => {
    const call = {
      address: CONTRACTS.channelEscrow,
      abi: devChannelEscrowAbi,
      functionName,
      args,
      chain: null,
    }
    const hash = await wallet.writeContract(call as never)
    await chainOf().waitForTransactionReceipt({ hash })
  }
  const row = () => readRow(account.address)
  return {
    address: account.address,
    scheme,
    buy: (expr: string) => pay(`${seller.url}/api/calc?expr=${encodeURIComponent(expr)}`),
    initiate: async () => send('initiateWithdraw', [JSON.parse((await row()).config), DEPOSIT]),
    finalize: async () => send('finalizeWithdraw', [JSON.parse((await row()).config)]),
    row,
    /** As if its last call were long ago. */
    rest: async () => {
      const { id } = await row()
      const old = { charged_at: 0, version: sql<number>`version + 1` }
      await seller.state.db.updateTable('payment_channel').set(old).where('id', '=', id).execute()
    },
    /** Makes the row one whose state of the chain is old, and that a process left behind. */
    age: async () => {
      const { id } = await row()
      const old = { synced_at: 0, claim_until: 1, version: sql<number>`version + 1` }
      await seller.state.db.updateTable('payment_channel').set(old).where('id', '=', id).execute()
    },
  }
}

/** Changes a channel once, as a claim does, after its row was read for the end of a refund. */
async function changeAtRefund(): Promise<void> {
  const { db } = seller.state
  await sql`create table changed (id text)`.execute(db)
  await sql`create trigger change_at_refund after update on payment_channel
    when new.refund_until > 0 and new.synced_at <> old.synced_at and not exists (select 1 from changed)
    begin
      insert into changed values (new.id);
      update payment_channel set version = version + 1 where id = new.id;
    end`.execute(db)
}

test('a part of a channel is refunded, and the rest still buys, also if a claim changes the channel meanwhile', async () => {
  const payer = openPayer(3)
  await changeAtRefund()
  const [held, earned] = await Promise.all([balanceOf(payer.address), balanceOf(devPayTo.utility)])
  for (const expr of ['5+5', '6+6']) assert.equal((await payer.buy(expr)).status, 200)
  const refund = await payer.scheme.refund(`${seller.url}/api/calc`, { amount: '20000' })
  assert.equal(refund.success, true)
  assert.equal((await sql`select id from changed`.execute(seller.state.db)).rows.length, 1)
  assert.equal(held - (await balanceOf(payer.address)), DEPOSIT - 20_000n)
  assert.equal((await payer.buy('7+7')).status, 200)
  assert.equal(held - (await balanceOf(payer.address)), DEPOSIT - 20_000n)
  // What the refund claimed is paid out, perhaps with the newest call.
  while ((await payer.row()).paid_out < 2 * Number(PRICE) || (await payer.row()).claim_until > 0)
    await delay(50)
  const { paid_out: paidOut } = await payer.row()
  assert.equal((await balanceOf(devPayTo.utility)) - earned, BigInt(paidOut))
})

test('a call during a withdrawal buys nothing, the seller is paid within its delay, the payer gets the rest', async () => {
  const payer = openPayer(2)
  await seller.chain.fundGas(payer.address)
  const [held, earned] = await Promise.all([balanceOf(payer.address), balanceOf(devPayTo.utility)])
  for (const expr of ['1+1', '2+2', '3+3']) assert.equal((await payer.buy(expr)).status, 200)
  assert.equal((await payer.row()).withdraw_at, 0)
  await payer.initiate()
  await payer.age()
  assert.equal((await payer.buy('4+4')).status, 402)
  assert.ok((await payer.row()).withdraw_at > 0)
  while ((await payer.row()).paid_out !== 3000) await delay(50)
  assert.equal((await balanceOf(devPayTo.utility)) - earned, 3n * PRICE)
  await seller.chain.skipTime(DELAY_SECONDS)
  await payer.finalize()
  assert.equal(held - (await balanceOf(payer.address)), 3n * PRICE)
})

test('a withdrawal takes what is not worth the gas of its claim, once, and the log has the loss', async () => {
  const payer = openPayer(4)
  const earned = await balanceOf(devPayTo.utility)
  // 100 gwei: a claim costs about 60 dollars.
  await seller.chain.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
  await seller.chain.mine()
  while ((await fetch(`${seller.url}/api/calc?expr=1`)).status !== 503) await delay(50)
  const held = await balanceOf(payer.address)
  await payer.initiate()
  await payer.age()
  // A channel that is quiet is due; then its withdrawal is found.
  await payer.rest()
  while ((await payer.row()).claim_until === 1) await delay(50)
  assert.ok((await payer.row()).claim_until > Date.now(), 'it waits for a lower fee')
  await seller.chain.skipTime(DELAY_SECONDS)
  await payer.finalize()
  assert.equal((await balanceOf(payer.address)) - held, DEPOSIT)
  await payer.age()
  while ((await payer.row()).unclaimed_since !== null) await delay(50)
  const readLosses = () =>
    seller
      .logged()
      .split('\n')
      .filter((line) => line.includes('not worth their claim'))
  // The log is written after the row.
  while (readLosses().length === 0) await delay(50)
  assert.deepEqual(
    readLosses().map((line) => JSON.parse(line).lost),
    [Number(PRICE)],
  )
  assert.equal(await balanceOf(devPayTo.utility), earned)
})
