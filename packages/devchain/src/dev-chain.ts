import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DEV_ACCOUNTS, type DevAccounts } from '@tollbook/chain/dev-accounts'
import { BASE, type Network } from '@tollbook/chain/network'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { findFreePort } from '@tollbook/http/server/find-free-port'
import { type Address, type Hex, numberToHex, parseEther } from 'viem'
import { findAnvil } from './anvil/find-anvil.ts'
import { createRpcClient, type RpcClient } from './anvil/json-rpc.ts'
import { startGuard } from './anvil/start-guard.ts'
import type { GenesisFields } from './anvil/state-file.ts'
import {
  contractsOf,
  type DevContracts,
  fundAccounts,
  mintUsdc,
  placeContracts,
  readUsdc,
} from './genesis.ts'

export type DevChainOptions = {
  /** The network whose chain id and token it has; default Base. */
  readonly network?: Network
  /** TCP port on 127.0.0.1; default 0, which takes a free one. */
  readonly port?: number
  /** Folder in which the chain is stored between runs, each network's in a file of its own; absent: not stored. */
  readonly dataDir?: string
  /**
   * `wall` (default): block time follows the wall clock from the start, at most 2 s behind. `stopped`: a new
   * chain stays 15 days in the past, ready for blocks with older times, until `startClock`. A stored chain
   * always follows the wall clock.
   */
  readonly clock?: 'wall' | 'stopped'
  /** Block time of a new chain's genesis in epoch seconds; absent: 15 days ago. */
  readonly genesisSeconds?: number
  /** Number of historical states to keep, needed for a reorganisation of that depth; default 16. */
  readonly storedStates?: number
  /** How long to wait for a taken port, milliseconds; default 30,000. */
  readonly portWaitMs?: number
  /** Called if anvil ends on its own. */
  readonly onGone?: (reason: string) => void
}

/** A running local chain with the chain id and the contracts of Base, or of another network. */
export type DevChain = {
  readonly rpcUrl: string
  readonly network: Network
  readonly chainId: number
  /** Differs between any two chains; stays the same when a stored chain is restarted. */
  readonly genesisHash: Hex
  /** Block time of the genesis in epoch seconds. */
  readonly genesisSeconds: number
  /** False if the chain was stored by an earlier run. */
  readonly isNew: boolean
  /** Process id of anvil. */
  readonly anvilPid: number
  readonly rpc: RpcClient
  /** Addresses of what is deployed, as on the network. */
  readonly contracts: DevContracts
  /** Ten wallets with public keys; each has 1,000 USDC and 10,000 ETH at first. */
  readonly accounts: DevAccounts
  /** Mints micro-USDC; resolves when it is mined. */
  fundUsdc(to: Address, amount: AtomicUsdc): Promise<void>
  /** Sets the balance to 10 ETH for gas. Not a transaction: a reorganisation of the newest block reverts it. */
  fundGas(to: Address): Promise<void>
  /** The USDC of a wallet, in micro-USDC. */
  usdcOf(wallet: Address): Promise<AtomicUsdc>
  /** Mines empty blocks; default 1. */
  mine(blocks?: number): Promise<void>
  /** Advances the chain's clock by whole seconds and mines a block there. */
  skipTime(seconds: number): Promise<void>
  /**
   * Replaces this many of the newest blocks by empty ones; their transactions are gone.
   * @param depth less than `storedStates`.
   */
  reorganise(depth: number): Promise<void>
  /** Starts the wall clock of a chain created with `clock: 'stopped'`; from then on it is stored. */
  startClock(): Promise<void>
  /** Saves the chain to the data folder now. It is also saved every few seconds and on close. */
  save(): Promise<void>
  /** Saves the chain and stops anvil. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The guard of a killed process saves its chain before releasing the port: 3 s for a chain of a day. */
const PORT_WAIT_MS = 30_000
/** The last published week ended up to seven days ago and began seven days earlier; one more day is spare. */
const GENESIS_AGE_SECONDS = 15 * 86_400
/**
 * A call at `latest` that is answered while a block is mined needs the state of a few blocks before; without it anvil
 * refuses the call as out of range.
 */
const STORED_STATES = 16
/** Gas limit of a block on Base in 2026, plus a random part that makes each genesis hash unique. */
const BLOCK_GAS = 400_000_000
const BLOCK_GAS_ENTROPY = 1_000_000_000

/**
 * Starts a local chain: anvil with our contracts at the addresses of its network, and with funded accounts.
 * It ends with this process, however that ends.
 * @throws Error when the port is taken for longer than `portWaitMs` or anvil fails.
 * @example await using chain = await startDevChain()
 */
export async function startDevChain(options: DevChainOptions = {}): Promise<DevChain> {
  const { network = BASE, dataDir } = options
  const port = options.port || (await findFreePort('127.0.0.1'))
  const stateFile = dataDir ? join(dataDir, stateFileOf(network)) : null
  const guard = await startGuard(
    {
      anvil: findAnvil(),
      port,
      genesis: toGenesis(options),
      args: toAnvilArgs(options, network),
      stateFile,
      portWaitMs: options.portWaitMs ?? PORT_WAIT_MS,
    },
    options.onGone ?? (() => {}),
  )
  const rpcUrl = `http://127.0.0.1:${port}`
  const rpc = createRpcClient(rpcUrl)
  const isNew = !(stateFile && existsSync(stateFile))
  const genesis = await rpc.call<Genesis>('eth_getBlockByNumber', ['0x0', false])
  const startClock = () => guard.ask({ kind: 'start-clock' }, 'clock-started')

  await placeContracts(rpc, network)
  if (isNew) {
    // Otherwise anvil would stamp the first block with the current time.
    await rpc.call('evm_setTime', [Number(genesis.timestamp)])
    await fundAccounts(rpc, network)
  }
  if (!isNew || options.clock !== 'stopped') await startClock()

  return {
    rpcUrl,
    network,
    chainId: network.chainId,
    genesisHash: genesis.hash,
    genesisSeconds: Number(genesis.timestamp),
    isNew,
    anvilPid: guard.anvilPid,
    rpc,
    contracts: contractsOf(network),
    accounts: DEV_ACCOUNTS,
    fundUsdc: (to, amount) => mintUsdc(rpc, [{ to, amount }], network.usdc),
    async fundGas(to) {
      await rpc.call('anvil_setBalance', [to, numberToHex(parseEther('10'))])
    },
    usdcOf: (wallet) => readUsdc(rpc, network.usdc, wallet),
    async mine(blocks = 1) {
      await rpc.batch(Array.from({ length: blocks }, () => ({ method: 'evm_mine', params: [] })))
    },
    async skipTime(seconds) {
      await rpc.call('evm_increaseTime', [seconds])
      await rpc.call('evm_mine')
    },
    async reorganise(depth) {
      await rpc.call('anvil_reorg', [depth, []])
    },
    startClock,
    save: () => guard.ask({ kind: 'save' }, 'saved'),
    close: () => guard.close(),
    [Symbol.asyncDispose]: () => guard.close(),
  }
}

type Genesis = { readonly hash: Hex; readonly timestamp: Hex }

/** Time and gas limit are the only configurable fields of the genesis header, and its hash identifies the chain. */
function toGenesis({ genesisSeconds }: DevChainOptions): GenesisFields {
  const seconds = genesisSeconds ?? Math.floor(Date.now() / 1000) - GENESIS_AGE_SECONDS
  return { seconds, gasLimit: BLOCK_GAS + randomInt(BLOCK_GAS_ENTROPY) }
}

/** The chain of Base has the name that every chain had before there were others. */
function stateFileOf({ id, nameV1 }: Network): string {
  return id === BASE.id ? 'dev-chain.json.gz' : `dev-chain-${nameV1}.json.gz`
}

function toAnvilArgs(
  { storedStates = STORED_STATES }: DevChainOptions,
  { chainId }: Network,
): readonly string[] {
  return [
    ['--chain-id', String(chainId)],
    // `safe` and `finalized` are the head: with one node there is no consensus to wait for.
    ['--slots-in-an-epoch', '0'],
    // Blocks, transactions and logs are always kept. Each historical state costs 20 kB.
    ['--prune-history', String(storedStates)],
    // The dump of a chain exceeds the 2 MB that anvil accepts by default.
    ['--no-request-size-limit'],
  ].flat()
}
