import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { DEV_CLIENT_ADDRESSES, DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { findFreePort } from '@tollbook/http/server/find-free-port'
import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { findAnvil } from './anvil/find-anvil.ts'
import { createRpcClient, type RpcClient } from './anvil/json-rpc.ts'
import { startGuard } from './anvil/start-guard.ts'
import { devUsdcAbi } from './contracts/abis.ts'
import { startDevChain } from './dev-chain.ts'

const folder = mkdtempSync(join(tmpdir(), 'dev-chain-'))
after(() => rmSync(folder, { recursive: true }))

type Block = { readonly number: Hex; readonly timestamp: Hex; readonly hash: Hex }
const headOf = (rpc: RpcClient) => rpc.call<Block>('eth_getBlockByNumber', ['latest', false])

/** The block's time is between an earlier moment and now, with a tolerance of two seconds. */
function assertMinedSince(earlierSeconds: number, { timestamp }: Block): void {
  const time = Number(timestamp)
  assert.ok(time >= earlierSeconds - 2, `${time} is before ${earlierSeconds}`)
  assert.ok(time <= Date.now() / 1000 + 2, `${time} is ahead of the clock`)
}

async function usedPort(
  serve: (socket: Socket) => void,
): Promise<{ port: number; free(): Promise<unknown> }> {
  const server = createServer(serve)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { port, free: () => new Promise((resolve) => server.close(resolve)) }
}

test('a new chain has the id of Base, funded clients, and a final head', async () => {
  await using stack = new AsyncDisposableStack()
  const chain = await startDevChain({ port: 0 })
  stack.defer(() => chain.close())
  assert.equal(await chain.rpc.call('eth_chainId'), '0x2105') // 8453
  for (const client of DEV_CLIENT_ADDRESSES) assert.equal(await chain.usdcOf(client), 1_000_000_000n) // 1,000 USDC
  await chain.fundUsdc(devPayTo.social, 5n)
  assert.equal(await chain.usdcOf(devPayTo.social), 5n)
  const readHash = async (tag: string) =>
    (await chain.rpc.call<Block>('eth_getBlockByNumber', [tag, false])).hash
  // Again if a block was added between the requests.
  for (;;) {
    const [before, finalized, after] = [
      await readHash('latest'),
      await readHash('finalized'),
      await readHash('latest'),
    ]
    if (before !== after) continue
    assert.equal(finalized, after)
    break
  }
})

test('a chain with its defaults is closed at the end of its block, and its contracts have code', async () => {
  let rpcUrl = ''
  {
    await using chain = await startDevChain()
    rpcUrl = chain.rpcUrl
    for (const address of Object.values(chain.contracts))
      assert.notEqual(await chain.rpc.call('eth_getCode', [address, 'latest']), '0x')
    for (const { address, privateKey } of chain.accounts)
      assert.equal(privateKeyToAccount(privateKey).address, address)
  }
  await assert.rejects(createRpcClient(rpcUrl).call('eth_chainId'), { name: 'Unreachable' })
})

test('empty blocks and skipped time come on demand while the clock is stopped', async () => {
  await using chain = await startDevChain({ clock: 'stopped' })
  const before = await headOf(chain.rpc)
  await chain.mine(3)
  assert.equal(Number((await headOf(chain.rpc)).number), Number(before.number) + 3)
  const { timestamp } = await headOf(chain.rpc)
  await chain.skipTime(3_600)
  assert.ok(Number((await headOf(chain.rpc)).timestamp) >= Number(timestamp) + 3_600)
})

test('two chains never share a genesis hash', async () => {
  const chains = await Promise.all([startDevChain({ port: 0 }), startDevChain({ port: 0 })])
  await Promise.all(chains.map((chain) => chain.close()))
  assert.notEqual(chains[0].genesisHash, chains[1].genesisHash)
})

test('a reorganisation of 64 blocks reverts their payments', async () => {
  await using stack = new AsyncDisposableStack()
  const chain = await startDevChain({ port: 0, clock: 'stopped', storedStates: 70 })
  stack.defer(() => chain.close())
  for (let block = 0; block < 64; block++) await chain.fundUsdc(devPayTo.social, 1n)
  const before = await headOf(chain.rpc)
  assert.equal(await chain.usdcOf(devPayTo.social), 64n)
  await chain.reorganise(64)
  const after = await headOf(chain.rpc)
  assert.equal(after.number, before.number)
  assert.notEqual(after.hash, before.hash)
  assert.equal(await chain.usdcOf(devPayTo.social), 0n)
})

test('blocks of a burst of 300 payments have wall-clock times, and an idle chain follows the clock', async () => {
  await using stack = new AsyncDisposableStack()
  const chain = await startDevChain({ port: 0 })
  stack.defer(() => chain.close())
  const account = privateKeyToAccount(DEV_CLIENT_KEYS[0])
  const data = encodeFunctionData({ abi: devUsdcAbi, functionName: 'transfer', args: [devPayTo.social, 1n] })
  const startBlock = Number((await headOf(chain.rpc)).number)
  for (let nonce = 0; nonce < 300; nonce++) {
    const transaction = {
      to: BASE.usdc,
      data,
      nonce,
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 0n,
    }
    const raw = await account.signTransaction({ ...transaction, chainId: BASE.chainId, type: 'eip1559' })
    const sentSeconds = Date.now() / 1000
    await chain.rpc.call('eth_sendRawTransactionSync', [raw])
    if (nonce % 20 === 0) assertMinedSince(sentSeconds, await headOf(chain.rpc))
  }
  const busyHead = await headOf(chain.rpc)
  assert.ok(Number(busyHead.number) >= startBlock + 300, 'each payment has its own block')
  assert.equal(await chain.usdcOf(devPayTo.social), 300n)
  const idleSeconds = Math.ceil(Date.now() / 1000)
  let head = busyHead
  while (Number(head.timestamp) < idleSeconds) {
    await pause(100)
    head = await headOf(chain.rpc)
  }
  assertMinedSince(idleSeconds, head)
})

test('a restarted chain continues with the same blocks, balances and logs', async () => {
  const dataDir = join(folder, 'again')
  const first = await startDevChain({ port: 0, dataDir })
  await first.fundUsdc(devPayTo.utility, 7n)
  const logs = await first.rpc.call<unknown[]>('eth_getLogs', [{ fromBlock: '0x0', address: BASE.usdc }])
  const head = await headOf(first.rpc)
  await first.close()

  await using stack = new AsyncDisposableStack()
  const second = await startDevChain({ port: 0, dataDir })
  stack.defer(() => second.close())
  assert.equal(first.isNew, true)
  assert.equal(second.isNew, false)
  assert.equal(second.genesisHash, first.genesisHash)
  assert.deepEqual(await second.rpc.call('eth_getLogs', [{ fromBlock: '0x0', address: BASE.usdc }]), logs)
  const sameBlock = await second.rpc.call<Block>('eth_getBlockByNumber', [head.number, false])
  assert.equal(sameBlock.hash, head.hash)
  const mintedSeconds = Date.now() / 1000
  await second.fundUsdc(devPayTo.utility, 7n)
  assert.equal(await second.usdcOf(devPayTo.utility), 14n) // 7 + 7
  assertMinedSince(mintedSeconds, await headOf(second.rpc))
})

test('a killed process leaves no anvil behind and loses no payment', async () => {
  const dataDir = join(folder, 'killed')
  const code = `
    const { startDevChain } = await import(${JSON.stringify(import.meta.resolve('./dev-chain.ts'))})
    const chain = await startDevChain({ port: 0, dataDir: ${JSON.stringify(dataDir)} })
    await chain.fundUsdc('${devPayTo.inference}', 9n)
    console.log(JSON.stringify({ anvilPid: chain.anvilPid, genesisHash: chain.genesisHash, rpcUrl: chain.rpcUrl }))
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const { anvilPid, genesisHash, rpcUrl } = JSON.parse(String(line))
  parent.kill('SIGKILL')
  const isAlive = () => {
    try {
      return process.kill(anvilPid, 0)
    } catch {
      return false
    }
  }
  for (let waited = 0; isAlive() && waited < 1_200; waited++) await pause(50)
  assert.equal(isAlive(), false)

  // The same port immediately, as after a crash.
  const again = await startDevChain({ port: Number(new URL(rpcUrl).port), dataDir })
  try {
    assert.equal(again.genesisHash, genesisHash)
    assert.equal(await again.usdcOf(devPayTo.inference), 9n)
  } finally {
    await again.close()
  }
})

test('a stopped clock waits in the past, and such a chain is not saved before its clock starts', async () => {
  const dataDir = join(folder, 'stopped')
  const halfMade = await startDevChain({ port: 0, dataDir, clock: 'stopped' })
  const head = await headOf(halfMade.rpc)
  assert.ok(Number(head.timestamp) < Date.now() / 1000 - 7 * 86_400)
  await halfMade.close()
  const chain = await startDevChain({ port: 0, dataDir, clock: 'stopped' })
  assert.equal(chain.isNew, true)
  const startedSeconds = Date.now() / 1000
  await chain.startClock()
  assertMinedSince(startedSeconds, await headOf(chain.rpc))
  await chain.close()
})

test('what is sent to a stored chain before its clock starts is mined in the present', async () => {
  const dataDir = join(folder, 'sent-early')
  await (await startDevChain({ port: 0, dataDir })).close()
  const port = await findFreePort('127.0.0.1')
  const stateFile = join(dataDir, 'dev-chain.json.gz')
  const genesis = { seconds: 0, gasLimit: 0 }
  const order = { anvil: findAnvil(), port, genesis, args: ['--chain-id', '8453'], stateFile, portWaitMs: 0 }
  const guard = await startGuard(order, () => {})
  const rpc = createRpcClient(`http://127.0.0.1:${port}`)
  const [from, to] = DEV_CLIENT_ADDRESSES
  const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from, to, value: '0x1' }])
  const startedSeconds = Date.now() / 1000
  await guard.ask({ kind: 'start-clock' }, 'clock-started')
  const receipt = await rpc.call<{ blockHash: Hex } | null>('eth_getTransactionReceipt', [hash])
  assertMinedSince(startedSeconds, await rpc.call<Block>('eth_getBlockByHash', [receipt?.blockHash, false]))
  await guard.close()
})

test('a taken port is an error that names the process holding it', async () => {
  // One hangs up, the other waits for more.
  for (const serve of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.resume()]) {
    const taken = await usedPort((socket) => void serve(socket))
    await assert.rejects(
      startDevChain({ port: taken.port, portWaitMs: 100 }),
      /port \d+ is taken \(not an Ethereum node/,
    )
    await taken.free()
  }
  const chain = await startDevChain({ port: 0 })
  const port = Number(new URL(chain.rpcUrl).port)
  await assert.rejects(startDevChain({ port, portWaitMs: 100 }), /is taken \(anvil\/v1\.7\.1 answers there\)/)
  await chain.close()
})
