import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_ADDRESSES, devFacilitatorAddress, devMinterAddress } from '@tollbook/chain/dev-accounts'
import { BASE, type Network } from '@tollbook/chain/network'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseEther, stringToHex } from 'viem'
import type { RpcClient } from './anvil/json-rpc.ts'
import { devMulticall3Abi, devUsdcAbi } from './contracts/abis.ts'
import runtimeCode from './contracts/runtime-code.json' with { type: 'json' }

/** Initial balance of each client wallet, micro-USDC. */
const CLIENT_USDC = 1_000_000_000n

/** Gas money of wallets that are not anvil's own. */
const GAS_WEI = parseEther('10000')

/**
 * EIP-2935 stores the last 8,191 block hashes in this contract. anvil hashes the whole state for each block,
 * so this ring made a block 14 ms slower after 8,000 blocks (0.07 ms without). Nothing here reads it.
 */
const BLOCK_HASH_HISTORY = '0x0000F90827F1C53a10cb7A02335B175320002935'

/** The contracts that have one address on every chain. */
const DEPLOYED = {
  permit2: CONTRACTS.permit2,
  exactPermit2Proxy: CONTRACTS.exactPermit2Proxy,
  uptoPermit2Proxy: CONTRACTS.uptoPermit2Proxy,
  multicall3: CONTRACTS.multicall3,
  channelEscrow: CONTRACTS.channelEscrow,
  channelCollector: CONTRACTS.channelCollectors[0],
} as const

/** The contracts of a dev chain. */
export type DevContracts = typeof DEPLOYED & { readonly usdc: Address }

export function contractsOf({ usdc }: Network): DevContracts {
  return { usdc, ...DEPLOYED }
}

const PLACES = [
  [DEPLOYED.permit2, runtimeCode.DevPermit2],
  [DEPLOYED.exactPermit2Proxy, runtimeCode.DevExactProxy],
  [DEPLOYED.uptoPermit2Proxy, runtimeCode.DevUptoProxy],
  [DEPLOYED.multicall3, runtimeCode.DevMulticall3],
  [DEPLOYED.channelEscrow, runtimeCode.DevChannelEscrow],
  [DEPLOYED.channelCollector, runtimeCode.DevDepositCollector],
  [BLOCK_HASH_HISTORY, '0x'],
] as const

/** Slots of the name and version in `DevNamedUsdc.sol`, after the five of `DevUsdc.sol`. */
const NAME_SLOT = 5
const VERSION_SLOT = 6
/** Solidity stores a text of at most this many bytes in one slot. */
const MAX_TEXT_BYTES = 31

/**
 * Deploys the contracts at their addresses on the network. Done at every start, so a stored chain gets the current code.
 * @throws RangeError if the EIP-712 name or version of its token has more than 31 bytes.
 */
export async function placeContracts(rpc: RpcClient, network: Network): Promise<void> {
  await rpc.batch([
    ...PLACES.map((params) => ({ method: 'anvil_setCode', params })),
    ...placeToken(network),
    { method: 'anvil_impersonateAccount', params: [devMinterAddress] },
  ])
}

function placeToken({ usdc, usdcName, usdcVersion }: Network) {
  if (usdcName === BASE.usdcName && usdcVersion === BASE.usdcVersion)
    return [{ method: 'anvil_setCode', params: [usdc, runtimeCode.DevUsdc] }]
  const store = (slot: number, text: string) => ({
    method: 'anvil_setStorageAt',
    params: [usdc, numberToHex(slot, { size: 32 }), toSlot(text)],
  })
  return [
    { method: 'anvil_setCode', params: [usdc, runtimeCode.DevNamedUsdc] },
    store(NAME_SLOT, usdcName),
    store(VERSION_SLOT, usdcVersion),
  ]
}

/** https://docs.soliditylang.org/en/v0.8.30/internals/layout_in_storage.html#bytes-and-string */
function toSlot(text: string): Hex {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TEXT_BYTES) throw new RangeError(`the dev chain stores names of at most 31 bytes: ${text}`)
  return `0x${stringToHex(text, { size: MAX_TEXT_BYTES }).slice(2)}${(bytes * 2).toString(16).padStart(2, '0')}`
}

/** Funds the accounts of a new chain. */
export async function fundAccounts(rpc: RpcClient, { usdc }: Network): Promise<void> {
  const rich = [devMinterAddress, devFacilitatorAddress]
  await rpc.batch(
    rich.map((address) => ({ method: 'anvil_setBalance', params: [address, numberToHex(GAS_WEI)] })),
  )
  await mintUsdc(
    rpc,
    DEV_CLIENT_ADDRESSES.map((to) => ({ to, amount: CLIENT_USDC })),
    usdc,
  )
}

/** Mints USDC, by default that of Base, to many wallets in one transaction and waits for it. */
export async function mintUsdc(
  rpc: RpcClient,
  gifts: readonly { readonly to: `0x${string}`; readonly amount: bigint }[],
  usdc: Address = BASE.usdc,
): Promise<void> {
  const calls = gifts.map(({ to, amount }) => ({
    target: usdc,
    allowFailure: false,
    callData: encodeFunctionData({ abi: devUsdcAbi, functionName: 'mint', args: [to, amount] }),
  }))
  const data = encodeFunctionData({ abi: devMulticall3Abi, functionName: 'aggregate3', args: [calls] })
  const transaction = { from: devMinterAddress, to: CONTRACTS.multicall3, data }
  const receipt = await rpc.call<{ status: string }>('eth_sendTransactionSync', [transaction])
  if (receipt.status !== '0x1') throw new Error('USDC could not be minted on the dev chain')
}

/** The USDC of a wallet, in micro-USDC. */
export async function readUsdc(rpc: RpcClient, usdc: Address, wallet: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: devUsdcAbi, functionName: 'balanceOf', args: [wallet] })
  return BigInt(await rpc.call<Hex>('eth_call', [{ to: usdc, data }, 'latest']))
}
