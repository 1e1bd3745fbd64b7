import type { Address, Hex } from './hex.ts'
import { keccakHex } from './keccak.ts'

/**
 * Every key of the dev chain is public: anyone who reads this file can sign with it. The dev chain has the
 * chain id of Base, so these signatures are also valid there. Never send anything of value to one of these
 * wallets.
 */

/**
 * Accounts 0 to 9 of the default mnemonic of anvil and hardhat (`test test test test test test test test test
 * test test junk`). Each holds 1,000 USDC and 10,000 ETH on the dev chain; any client may use them.
 */
export const DEV_CLIENT_KEYS = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
] as const

/** The wallets of `DEV_CLIENT_KEYS`, in the same order. */
export const DEV_CLIENT_ADDRESSES = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
  '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
  '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
] as const

/** The account of the dev chain that `tollbook list` pays from; reports show its payments as `self_pay`. */
export const LISTING_ACCOUNT = 9

export type DevAccount = { readonly address: Address; readonly privateKey: Hex }
type AccountsOf<Keys extends readonly Hex[]> = { readonly [Place in keyof Keys]: DevAccount }
export type DevAccounts = AccountsOf<typeof DEV_CLIENT_KEYS>

/** Each of these wallets with its key. The result of `map` has no length in its type. */
export const DEV_ACCOUNTS = DEV_CLIENT_ADDRESSES.map((address, at) => ({
  address,
  privateKey: DEV_CLIENT_KEYS[at],
})) as unknown as DevAccounts

/**
 * The key of a named role on the dev chain: Keccak-256 of a public text.
 * @example devKey('facilitator')
 */
export function devKey(role: string): Hex {
  return `0x${keccakHex(Buffer.from(`tollbook dev chain: ${role}`))}`
}

/** Sends the settlements of the paid services and the demo week. */
export const devFacilitatorKey = devKey('facilitator')
export const devFacilitatorAddress = '0xc3Ec0BE6e79D5f75db87D2862774AafaB1f3655D'

/** The key of the wallet that a service is paid to on the dev chain, by the name of the service. */
export function devPayToKey(service: string): Hex {
  return devKey(`payTo ${service}`)
}

/** The payTo wallets of Tollbook's own services on the dev chain, by `devPayToKey`. */
export const devPayTo = {
  social: '0x5Fb0b776549b09641CbB5B4B28FD67e4156bBf76',
  utility: '0x5E416C1824Fe3D1e245328fe1D64fa76095164f9',
  inference: '0xF8C620cD32E5953337a6c67bA61e1c86AD829906',
} as const

/** Keys of `devPayTo`, with which the services' own merchants can be claimed. */
export const devPayToKeys = {
  social: devPayToKey('social'),
  utility: devPayToKey('utility'),
  inference: devPayToKey('inference'),
} as const

/** Sends the transactions that mint USDC; holds none. */
export const devMinterAddress = '0xcD2d4D1daba4FB19BA344A47B42ad57F2267dD3A'
