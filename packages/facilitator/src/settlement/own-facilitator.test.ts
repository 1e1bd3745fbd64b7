import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createChannels } from '@tollbook/channels'
import { startDevChain } from '@tollbook/devchain/dev-chain'
import { createGate } from '@tollbook/gate'
import { paid } from '@tollbook/gate/node'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { ownFacilitator } from './own-facilitator.ts'

test('a gate with a facilitator of its own is paid by transfer and from a channel', async () => {
  await using chain = await startDevChain()
  const [payer, seller, settler] = chain.accounts
  const gate = await createGate({
    payTo: seller.address,
    network: 'base',
    rpcUrl: chain.rpcUrl,
    facilitator: ownFacilitator({ key: settler.privateKey }),
    channels: createChannels(),
    store: 'sqlite::memory:',
    limits: { freeBytes: 0, claims: { amount: 1n, ageMs: 0, quietMs: 0 } },
  })
  const handler = paid(gate, { price: '0.01', description: 'A word.' })((_message, response) => {
    response.end('word')
  })
  const server = createServer(handler).listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/word`
  const before = await chain.usdcOf(seller.address)
  const account = privateKeyToAccount(payer.privateKey)
  const byTransfer = new x402Client().register('eip155:8453', new ExactEvmScheme(account))
  assert.equal(await (await wrapFetchWithPayment(fetch, byTransfer)(url)).text(), 'word')
  assert.equal((await chain.usdcOf(seller.address)) - before, 10_000n)

  const signer = toClientEvmSigner(account, createPublicClient({ transport: http(chain.rpcUrl) }))
  const scheme = new BatchSettlementEvmScheme(signer, { storage: new InMemoryClientChannelStorage() })
  const payFromChannel = wrapFetchWithPayment(fetch, new x402Client().register('eip155:8453', scheme))
  assert.equal(await (await payFromChannel(url)).text(), 'word')
  assert.equal(await (await payFromChannel(url)).text(), 'word')
  // Vouchers are redeemed by the heartbeat.
  while ((await chain.usdcOf(seller.address)) - before < 30_000n)
    await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal((await chain.usdcOf(seller.address)) - before, 30_000n)
  server.closeAllConnections()
  server.close()
  await gate.close()
})

test('a key of another form is refused with what to write', () => {
  assert.throws(() => ownFacilitator({ key: '0x12' }), /a private key, 0x and 64 hex digits/)
  assert.throws(() => ownFacilitator({ key: `0x${'1'.repeat(40)}` }), /signerUrl/)
})
