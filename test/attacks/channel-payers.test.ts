import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { devChannelEscrowAbi } from '@tollbook/testing/chain/dev-abis'
import { type Customer, openShop, type Shop, STRANGER } from '@tollbook/testing/paying/shop'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { append, query, remove } from '@tollbook/utility/endpoints/api/store/{collection}/endpoint'
import { list } from '@tollbook/utility/endpoints/api/store/endpoint'
import type { Address, Hex } from 'viem'
import { openChannel, signChannelPayment } from './channel-wallet.ts'

const ROWS = '/api/store/diary'
const DEPOSIT = 500_000n
/** A collector of deposits that pays them from its own balance: no payer has to sign. */
const COLLECTOR: Address = `0x${'c0'.repeat(20)}`
/** Calls transfer(caller, amount) of the token that `collect` names. */
const GENEROUS_CODE: Hex = `0x7fa9059cbb${'00'.repeat(28)}60005233600452604435602452600060006044600060006024355af15000`

let shop: Shop
let victim: Customer
let attacker: Customer
before(async () => {
  shop = await openShop({ endpoints: [list, append, query, remove], portsOf: utilityPorts })
  victim = await shop.newPayer()
  attacker = await shop.newPayer()
  await shop.seller.chain.rpc.call('anvil_setCode', [COLLECTOR, GENEROUS_CODE])
  await shop.seller.chain.fundUsdc(COLLECTOR, 10n * DEPOSIT)
})
after(() => shop?.close())

let channels = 0

/** Pays with the attacker's voucher, from a new channel that names the victim as its payer. */
async function buyInItsName(path: string, method = 'GET'): Promise<Response> {
  channels += 1
  const salt: Hex = `0x${channels.toString(16).padStart(64, '0')}`
  const channel = await openChannel(shop, path, { method, payer: victim.address, key: attacker, salt })
  await shop.call(STRANGER, {
    address: CONTRACTS.channelEscrow,
    abi: devChannelEscrowAbi,
    functionName: 'deposit',
    args: [channel.config, DEPOSIT, COLLECTOR, '0x'],
  })
  return shop.ask(path, await signChannelPayment(channel), { method })
}

const readRows = async () => shop.ask(ROWS, await shop.sign(victim, ROWS))

test("a channel that names another wallet as its payer buys on behalf of its vouchers' signer", async () => {
  const wrote = await shop.ask(ROWS, await shop.sign(victim, ROWS, { method: 'POST' }), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"secret":1}',
  })
  assert.equal(wrote.status, 201)

  const listed = (await (await buyInItsName('/api/store')).json()) as Record<string, unknown>
  assert.deepEqual([listed.wallet, listed.total_rows], [attacker.address.toLowerCase(), 0])
  assert.equal((await buyInItsName(ROWS)).status, 404)
  assert.equal((await buyInItsName(ROWS, 'DELETE')).status, 404)
  assert.match(await (await readRows()).text(), /"secret":1/)

  const rows = await shop.seller.state.db
    .selectFrom('paid_call')
    .select('payer')
    .where('scheme', '=', 'batch-settlement')
    .execute()
  assert.deepEqual(new Set(rows.map(({ payer }) => payer)), new Set([attacker.address.toLowerCase()]))
})
