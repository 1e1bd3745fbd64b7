import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { DEV_CLIENT_ADDRESSES, DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import { Buyer } from '@tollbook/pay/buyer'
import { openSpendingLog } from '@tollbook/pay/spending-log'
import { startCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { METER } from '@tollbook/testing/paying/desk'
import { openShop } from '@tollbook/testing/paying/shop'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'

const CALLS = 1_000
const KILLS = 30
const CONCURRENT = 24
/** Less than half of what all calls would cost. */
const BUDGET = { usd: '4', micro: 4_000_000n }
const ACCOUNT = 6
const MAIN = join(import.meta.dirname, '../../apps/cli/src/main.ts')

/** A process that buys, and is killed. */
type Buying = { call(path: string): Promise<unknown>; kill(): Promise<void> }

test(`two proxies and an MCP server, killed ${KILLS} times, never exceed their budget, and their log equals the chain`, async (t) => {
  const shop = await openShop()
  t.after(() => shop.close())
  // Metered calls above the allowance of a new wallet would be refused by the seller.
  await shop.allowPermit2({ key: DEV_CLIENT_KEYS[ACCOUNT] } as never)
  shop.desk.during = () => {
    shop.desk.charge = BigInt(randomInt(Number(METER.least), Number(METER.most)))
  }
  const folder = temporaryFolder('buyers')
  const path = join(folder, 'spending.sqlite')
  const { rpcUrl } = shop.seller.chain
  const environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_DEVCHAIN_PORT: new URL(rpcUrl).port,
    TOLLBOOK_LOG_LEVEL: 'silent',
  }
  const words = ['--budget', BUDGET.usd, '--log', path, '--account', `${ACCOUNT}`]

  async function startProxy(): Promise<Buying> {
    const running = await startCommand(
      ['proxy', '--to', shop.seller.url, '--port', '0', ...words],
      environment,
    )
    return {
      call: async (target) => (await fetch(`${running.addresses.proxy}${target}`)).arrayBuffer(),
      kill: () => running.kill(),
    }
  }
  async function startMcp(): Promise<Buying> {
    const args = [MAIN, 'mcp', shop.seller.url, ...words]
    const env = environment as Record<string, string>
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    const { pid } = transport
    return {
      call: (target) => client.callTool({ name: 'call', arguments: { url: `${shop.seller.url}${target}` } }),
      async kill() {
        const closed = new Promise<void>((resolve) => {
          client.onclose = resolve
        })
        if (pid) process.kill(pid, 'SIGKILL')
        await closed
      },
    }
  }

  const starts = [startProxy, startProxy, startMcp]
  const places = starts.map((start) => start())
  const funds = await shop.balanceOf(DEV_CLIENT_ADDRESSES[ACCOUNT])
  let next = 0
  let kills = 0
  let answered = 0
  async function work(): Promise<void> {
    while (next < CALLS) {
      const at = next++
      const place = randomInt(places.length)
      const target = `/test/${at % 3 === 0 ? 'meter' : 'good'}?word=w${at}`
      if (at % Math.floor(CALLS / KILLS) === 0 && at > 0) {
        kills += 1
        // At once, so that no other worker kills the same process.
        places[place] = Promise.resolve(places[place]).then(async (victim) => {
          await victim?.kill()
          return starts[place]?.() as Promise<Buying>
        })
      }
      const buying = await places[place]
      // A killed process does not answer.
      await buying?.call(target).then(
        () => {
          answered += 1
        },
        () => {},
      )
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  for (const place of places) await (await place).kill()

  const spentOnChain = async () => funds - (await shop.balanceOf(DEV_CLIENT_ADDRESSES[ACCOUNT]))
  assert.ok((await spentOnChain()) <= BUDGET.micro)
  await shop.seller.chain.skipTime(3_600)
  const log = openSpendingLog(path)
  t.after(() => log.close())
  const chain = createChainReader({ rpcUrl, network: BASE, finalTag: 'latest' })
  const key = DEV_CLIENT_KEYS[ACCOUNT]
  await new Buyer({ log, chain, key, rpcUrl, budget: BUDGET.micro, max: BUDGET.micro }).reconcile()
  const spent = await spentOnChain()
  t.diagnostic(`${answered} answers, ${kills} kills, ${spent} micro-USDC spent`)
  assert.deepEqual(log.totals(), { spent, open: 0n })
  assert.ok(spent > BUDGET.micro / 2n && spent <= BUDGET.micro)
})
