import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { isExploring } from '@tollbook/testing/property'
import type { Hex } from 'viem'
import { createRpcClient, type RpcClient } from './anvil/json-rpc.ts'
import { type DevChain, startDevChain } from './dev-chain.ts'

const folder = mkdtempSync(join(tmpdir(), 'dev-chain-restarts-'))
after(() => rmSync(folder, { recursive: true }))

type Block = { readonly hash: Hex; readonly parentHash: Hex; readonly timestamp: Hex }
type StoredBlock = { readonly header: { readonly number: string } }

/** The two blocks that every reader of a chain begins with. */
async function readBeginning(rpc: RpcClient): Promise<readonly Block[]> {
  const blocks = ['0x0', '0x1'].map((number) => rpc.call<Block>('eth_getBlockByNumber', [number, false]))
  return Promise.all(blocks)
}

/** The chain is whole: its second block continues its first. */
async function assertSame({ rpc, genesisHash }: DevChain, first: readonly Block[]): Promise<void> {
  const [genesis, second] = await readBeginning(rpc)
  assert.equal(genesis?.hash, first[0]?.hash)
  assert.equal(second?.hash, first[1]?.hash)
  assert.equal(second?.parentHash, genesis?.hash)
  assert.equal(genesisHash, genesis?.hash)
}

const stateFileOf = (dataDir: string) => join(dataDir, 'dev-chain.json.gz')
const readStored = (dataDir: string): { blocks: StoredBlock[] } =>
  JSON.parse(gunzipSync(readFileSync(stateFileOf(dataDir))).toString())
const isGenesis = ({ header }: StoredBlock) => header.number === '0x0'

/** Mints one micro-USDC in a process of its own, and kills that process at once. */
async function mintAndKill(dataDir: string, port: number): Promise<void> {
  const code = `
    const { startDevChain } = await import(${JSON.stringify(import.meta.resolve('./dev-chain.ts'))})
    const chain = await startDevChain(${JSON.stringify({ port, dataDir })})
    await chain.fundUsdc('${devPayTo.social}', 1n)
    console.log('minted')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
}

const mintedLogs = (rpc: RpcClient) =>
  rpc.call<readonly { readonly topics: readonly Hex[] }[]>('eth_getLogs', [
    {
      fromBlock: '0x0',
      address: BASE.usdc,
      topics: [null, null, `0x${devPayTo.social.slice(2).toLowerCase().padStart(64, '0')}`],
    },
  ])

const RESTARTS = isExploring ? 40 : 20

test(`over ${RESTARTS} restarts, a quarter of them after a kill, a chain keeps its genesis and every payment`, async () => {
  const dataDir = join(folder, 'often')
  const chain = await startDevChain({ port: 0, dataDir })
  const port = Number(new URL(chain.rpcUrl).port)
  const first = await readBeginning(chain.rpc)
  await chain.close()
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    if (restart % 4 === 0) {
      await mintAndKill(dataDir, port)
      continue
    }
    const again = await startDevChain({ port, dataDir })
    try {
      await assertSame(again, first)
      await again.fundUsdc(devPayTo.social, 1n)
      // Each restart so far has minted once.
      assert.equal((await mintedLogs(again.rpc)).length, restart)
    } finally {
      await again.close()
    }
  }
  const last = await startDevChain({ port, dataDir })
  await assertSame(last, first)
  assert.equal((await mintedLogs(last.rpc)).length, RESTARTS)
  await last.close()
  assert.equal(readStored(dataDir).blocks.filter(isGenesis).length, 1)
})

test('of the genesis blocks that 1.0.0 has stored, the parent of the first block is loaded', async () => {
  const others = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const dataDir = join(folder, name)
      await (await startDevChain({ port: 0, dataDir })).close()
      return readStored(dataDir).blocks.filter(isGenesis)
    }),
  )
  const dataDir = join(folder, 'old')
  const chain = await startDevChain({ port: 0, dataDir })
  const first = await readBeginning(chain.rpc)
  await chain.close()
  const [a = [], b = [], c = []] = others
  // Wherever they are in the list.
  for (const round of [1, 2, 3]) {
    const stored = readStored(dataDir)
    const [one, ...rest] = stored.blocks
    const blocks = round === 1 ? [...a, ...b, ...stored.blocks, ...c] : [one, ...b, ...rest, ...c, ...a]
    writeFileSync(stateFileOf(dataDir), gzipSync(JSON.stringify({ ...stored, blocks })))
    const again = await startDevChain({ port: 0, dataDir })
    try {
      await assertSame(again, first)
    } finally {
      await again.close()
    }
    assert.equal(readStored(dataDir).blocks.filter(isGenesis).length, 1)
  }
})

test('what a stopping chain confirms to others is in the saved chain', async () => {
  const dataDir = join(folder, 'busy')
  const chain = await startDevChain({ port: 0, dataDir })
  const port = Number(new URL(chain.rpcUrl).port)
  const [from] = await chain.rpc.call<readonly Hex[]>('eth_accounts')
  const confirmed: Hex[] = []
  const sending = Promise.withResolvers<void>()
  // Of another process, as the services are: it sends until the chain no longer answers.
  const sender = (async () => {
    const another = createRpcClient(chain.rpcUrl)
    try {
      for (;;) {
        const hash = await another.call<Hex>('eth_sendTransaction', [{ from, to: from, value: '0x1' }])
        const receipt = await another.call<{ readonly status: Hex } | null>('eth_getTransactionReceipt', [
          hash,
        ])
        if (receipt?.status === '0x1') confirmed.push(hash)
        if (confirmed.length === 20) sending.resolve()
      }
    } catch {
      // The chain is gone.
    }
  })()
  await sending.promise
  await chain.close()
  await sender
  const next = await startDevChain({ port, dataDir })
  try {
    const receipts = await Promise.all(
      confirmed.map((hash) =>
        next.rpc.call<{ readonly status: Hex } | null>('eth_getTransactionReceipt', [hash]),
      ),
    )
    const lost = receipts.filter((receipt) => receipt === null).length
    assert.equal(lost, 0, `${lost} of ${confirmed.length}`)
  } finally {
    await next.close()
  }
})
