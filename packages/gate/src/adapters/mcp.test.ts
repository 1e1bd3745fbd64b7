import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { type HostileFacilitator, startHostileFacilitator } from '@tollbook/devchain/hostile-facilitator'
import { parsePaymentRequired } from '@x402/core/schemas'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import * as z from 'zod'
import { createGate } from '../seller/create-gate.ts'
import type { SellerGate } from '../seller/seller-gate.ts'
import { paid, payment } from './mcp.ts'

let chain: DevChain
let facilitator: HostileFacilitator
let gate: SellerGate
let client: Client
let runs = 0

type Result = {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly _meta?: Record<string, { readonly success?: boolean; readonly transaction?: string }>
}

before(async () => {
  chain = await startDevChain()
  facilitator = await startHostileFacilitator({ mode: 'honest', chain })
  gate = await createGate({
    payTo: chain.accounts[1].address,
    network: 'base',
    rpcUrl: chain.rpcUrl,
    facilitator: facilitator.url,
    store: 'sqlite::memory:',
    limits: { freeBytes: 0 },
  })
  const server = new McpServer({ name: 'test', version: '1' })
  const inputSchema = { a: z.number(), b: z.number() }
  const sum = paid(gate, { name: 'sum', price: '0.01', description: 'Adds two numbers.' })
  server.registerTool(
    'sum',
    { inputSchema },
    sum(async ({ a, b }: { a: number; b: number }, context: object) => {
      runs += 1
      const text = JSON.stringify({ sum: a + b, payer: payment(context).payer })
      return { content: [{ type: 'text' as const, text }] }
    }),
  )
  const fails = paid(gate, { name: 'fails', price: '0.01', description: 'Fails.' })
  server.registerTool(
    'fails',
    {},
    fails(async () => ({ content: [{ type: 'text' as const, text: 'not found' }], isError: true })),
  )
  const [near, far] = InMemoryTransport.createLinkedPair()
  client = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(near), client.connect(far)])
})
after(async () => {
  await client.close()
  await gate.close()
  await facilitator.close()
  await chain.close()
})

async function call(name: string, input: Record<string, unknown>, payload?: unknown): Promise<Result> {
  const _meta = payload === undefined ? {} : { _meta: { 'x402/payment': payload } }
  return (await client.callTool({ name, arguments: input, ..._meta })) as unknown as Result
}

async function sign(unpaid: Result) {
  assert.equal(unpaid.isError, true)
  const parsed = parsePaymentRequired(unpaid.structuredContent)
  assert.ok(parsed.success)
  const account = privateKeyToAccount(chain.accounts[0].privateKey)
  const payer = new x402Client().register('eip155:8453', new ExactEvmScheme(account))
  return payer.createPaymentPayload(parsed.data as never)
}

test('a tool of the official SDK is paid, once for each payment', async () => {
  const before = await chain.usdcOf(chain.accounts[1].address)
  const unpaid = await call('sum', { a: 1, b: 2 })
  assert.match(JSON.stringify(unpaid.structuredContent), /"url":"mcp:\/\/tool\/sum"/)
  const payload = await sign(unpaid)
  const results = await Promise.all(Array.from({ length: 16 }, () => call('sum', { a: 1, b: 2 }, payload)))
  const [first, ...others] = results.filter(({ isError }) => !isError)
  assert.ok(first)
  const payer = chain.accounts[0].address.toLowerCase()
  assert.deepEqual(JSON.parse(first.content[0]?.text ?? ''), { sum: 3, payer })
  assert.equal(first._meta?.['x402/payment-response']?.success, true)
  for (const other of others) assert.deepEqual(other.content, first.content)
  const again = await call('sum', { a: 1, b: 2 }, payload)
  assert.deepEqual(again.content, first.content)
  const other = await call('sum', { a: 1, b: 3 }, payload)
  assert.equal(other.isError, true)
  assert.equal(runs, 1)
  assert.equal((await chain.usdcOf(chain.accounts[1].address)) - before, 10_000n)
})

test('a result with isError is given as it is, and not charged', async () => {
  const before = await chain.usdcOf(chain.accounts[1].address)
  const payload = await sign(await call('fails', {}))
  const result = await call('fails', {}, payload)
  assert.deepEqual(result.content, [{ type: 'text', text: 'not found' }])
  assert.equal(await chain.usdcOf(chain.accounts[1].address), before)
})

test('a paid tool has a name', () => {
  assert.throws(() => paid(gate, { name: '', price: '0.01', description: 'x' }), /tool\.name/)
})
