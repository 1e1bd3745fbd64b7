import { writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { devFacilitatorAddress, devMinterAddress, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { createRpcClient, type RpcClient } from '@tollbook/devchain/anvil/json-rpc'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { mintUsdc } from '@tollbook/devchain/genesis'
import { base } from '@tollbook/testing/chain/base-chain'
import { startCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { startChatUpstream, type TestUpstream } from '@tollbook/testing/models/chat-upstream'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { createWalletClient, encodeFunctionData, type Hex, http, numberToHex, parseGwei } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** The tier whose tokens are attacked. */
export const TIER = 'tier-8'

/** The whole product as `tollbook start` runs it, with its default limits, and the attacker's resources. */
export type World = {
  readonly utility: string
  readonly inference: string
  readonly facilitator: string
  /** Of the process of all services. */
  readonly pid: number
  readonly rpc: RpcClient
  /** Upstream of the inference tier. */
  readonly upstream: TestUpstream
  /** A loopback address that has not called yet. */
  newAddress(): string
  /** A key with USDC and ETH, which cost the attacker nothing because it keeps them. */
  newWallet(usdc: bigint): Promise<Wallet>
  /** A key with nothing. */
  newKey(): Wallet
  /** Tops a wallet up to an amount of micro-USDC. */
  fill(wallet: Hex, amount: bigint): Promise<void>
  /** Processor time that the product has used, with processes of its own that have ended; seconds. */
  coreSeconds(): Promise<number>
  /** What was spent on the chain during the run. */
  measure(work: () => Promise<void>): Promise<Spent>
  close(): Promise<void>
}

export type Wallet = Payer & {
  /**
   * Sends a transaction that comes first in its block; does not wait for it. Without `to`, deploys `data`.
   */
  send(transaction: Transaction): Promise<Hex>
  /** Sends USDC away, first in the next block. */
  transfer(to: Hex, amount: bigint): Promise<Hex>
}

export type Transaction = {
  readonly to?: Hex
  readonly data?: Hex
  /** Wei. */
  readonly value?: bigint
  readonly gas: bigint
}

export type Spent = {
  readonly sellerGas: bigint
  readonly sellerWei: bigint
  readonly attackerGas: bigint
  /** Micro-USDC that the seller received. */
  readonly received: bigint
}

type Receipt = {
  readonly from: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[]
}

/** A settlement pays the tip that the node suggests, and no less than this. */
const MIN_TIP = parseGwei('0.01')
/** Above any base fee of a run. */
const MAX_FEE = parseGwei('100')
const ETH = 10n ** 18n
/** After the last answer, transactions of the outbox may still be pending. */
const REST_MS = 4_000

/** @param ethUsd dollars for an ETH, by which the seller prices gas; 0: gas is free */
export async function openWorld(ethUsd: number): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-attack-'))
  const upstream = await startChatUpstream()
  const modelsFile = join(folder, 'models.json')
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  writeFileSync(modelsFile, JSON.stringify({ tiers: { [TIER]: { upstreams } } }), { mode: 0o600 })
  const running = await startCommand(['start'], {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_MODELS_FILE: modelsFile,
    TOLLBOOK_ETH_USD: `${ethUsd}`,
    TOLLBOOK_REPORT_PORT: '0',
    TOLLBOOK_SOCIAL_PORT: '0',
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_INFERENCE_PORT: '0',
    TOLLBOOK_FACILITATOR_PORT: '0',
    TOLLBOOK_DEVCHAIN_PORT: '0',
  })
  const { utility = '', inference = '', facilitator = '', 'dev chain': rpcUrl = '' } = running.addresses
  const rpc = createRpcClient(rpcUrl)
  let addresses = 1

  const fill: World['fill'] = async (wallet, wanted) => {
    const data = encodeFunctionData({ abi: devUsdcAbi, functionName: 'balanceOf', args: [wallet] })
    const amount = wanted - BigInt(await rpc.call<Hex>('eth_call', [{ to: BASE.usdc, data }, 'latest']))
    if (amount > 0n) await mintUsdc(rpc, [{ to: wallet, amount }])
  }
  const head = async () => Number(await rpc.call<Hex>('eth_blockNumber'))

  return {
    utility,
    inference,
    facilitator,
    pid: running.pid ?? 0,
    rpc,
    upstream,
    fill,
    newAddress: () => `127.0.1.${addresses++}`,
    newKey: () => createWallet(generatePrivateKey(), rpc, rpcUrl),
    coreSeconds: async () => {
      const stat = await readFile(`/proc/${running.pid}/stat`, 'utf8')
      // proc(5): utime, stime, cutime and cstime are fields 14 to 17, in ticks of 10 ms; the name may have spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
    },
    newWallet: async (usdc) => {
      const wallet = createWallet(generatePrivateKey(), rpc, rpcUrl)
      await rpc.call('anvil_setBalance', [wallet.address, numberToHex(ETH)])
      await fill(wallet.address, usdc)
      return wallet
    },
    measure: async (work) => {
      const before = await head()
      await work()
      await wait(REST_MS)
      return readSpent(rpc, before + 1, await head())
    },
    async close() {
      await running.close()
      upstream.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function createWallet(key: Hex, rpc: RpcClient, rpcUrl: string): Wallet {
  const account = privateKeyToAccount(key)
  const client = createWalletClient({ account, chain: base, transport: http(rpcUrl) })
  const send: Wallet['send'] = async ({ to, data, value, gas }) => {
    const suggested = BigInt(await rpc.call<Hex>('eth_maxPriorityFeePerGas'))
    // Slightly more than a settlement pays, so that the node suggests the same tip afterwards.
    const maxPriorityFeePerGas = (suggested > MIN_TIP ? suggested : MIN_TIP) + 1_000n
    const fees = { maxPriorityFeePerGas, maxFeePerGas: MAX_FEE }
    return client.sendTransaction({ to: to ?? null, data, value, gas, ...fees })
  }
  return {
    ...account,
    send,
    transfer: (to, amount) => {
      const data = encodeFunctionData({ abi: devUsdcAbi, functionName: 'transfer', args: [to, amount] })
      return send({ to: BASE.usdc, data, gas: 100_000n })
    },
  }
}

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

async function readSpent(rpc: RpcClient, first: number, last: number): Promise<Spent> {
  const sellers = new Set(Object.values(devPayTo).map((address) => address.toLowerCase()))
  let [sellerGas, sellerWei, attackerGas, received] = [0n, 0n, 0n, 0n]
  for (let block = first; block <= last; block += 1) {
    const receipts = await rpc.call<readonly Receipt[]>('eth_getBlockReceipts', [numberToHex(block)])
    for (const { from, gasUsed, effectiveGasPrice, logs } of receipts) {
      const gas = BigInt(gasUsed)
      if (from.toLowerCase() === devFacilitatorAddress.toLowerCase()) {
        sellerGas += gas
        sellerWei += gas * BigInt(effectiveGasPrice)
      } else if (from.toLowerCase() !== devMinterAddress.toLowerCase()) attackerGas += gas
      for (const { address, topics, data } of logs) {
        const isUsdc = address.toLowerCase() === BASE.usdc.toLowerCase() && topics[0] === TRANSFER
        if (isUsdc && sellers.has(`0x${topics[2]?.slice(26)}`)) received += BigInt(data)
      }
    }
  }
  return { sellerGas, sellerWei, attackerGas, received }
}
