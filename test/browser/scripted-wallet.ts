import { BASE } from '@tollbook/chain/network'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import type { Customer, Shop } from '@tollbook/testing/paying/shop'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startChromium } from './chromium.ts'

/** A wallet of the browser as EIP-6963 announces it, whose person does what the current test wants. */
export type ScriptedWallet = {
  account: Customer
  chainId: number
  /** Methods that the person rejects. */
  rejects: readonly string[]
  /** Chains that it can switch to. */
  chains: readonly number[]
  /** Whether its node has the contracts of Base instead of the local ones. */
  isOnRealBase: boolean
  /** Resolves when the person answers. */
  during: (method: string) => Promise<void> | void
  /** Every method requested so far. */
  readonly requested: string[]
}

/** A browser on the page that pays, with a funded wallet. */
export type PayingBrowser = {
  readonly browser: Browser
  readonly page: Page
  readonly payer: Customer
  readonly wallet: ScriptedWallet
}

export const WALLET_NAME = 'Scripted <b>wallet</b>'
type WalletAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

const RPC_ERROR = (code: number, message: string) => ({ error: { code, message } })

export async function startPayingBrowser(executable: string, shop: Shop): Promise<PayingBrowser> {
  const payer = await shop.newPayer()
  const browser = await startChromium(executable)
  const context = await browser.newContext()
  const wallet = await installWallet(context, shop.seller.chain, payer)
  return { browser, page: await context.newPage(), payer, wallet }
}

/** Puts the wallet into every page of the context. */
async function installWallet(
  context: BrowserContext,
  chain: DevChain,
  account: Customer,
): Promise<ScriptedWallet> {
  const wallet: ScriptedWallet = { ...untouched(account), requested: [] }
  await context.exposeFunction('requestScriptedWallet', async (method: string, params: readonly unknown[]) =>
    requestWallet(wallet, chain, method, params),
  )
  await context.addInitScript(`globalThis.scriptedAnswers = [];(() => {
    const request = async ({ method, params }) => {
      const { result, error } = await requestScriptedWallet(method, params ?? [])
      scriptedAnswers.push(method)
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    }
    const info = { uuid: '5c3f1d1e-0000-4000-8000-000000000001', name: ${JSON.stringify(WALLET_NAME)}, icon: 'data:,', rdns: 'example.wallet' }
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider: { request } }) }))
    addEventListener('eip6963:requestProvider', announce)
    announce()
  })()`)
  return wallet
}

/** What the wallet answers to a request of a page, once its person has agreed. */
export async function requestWallet(
  wallet: ScriptedWallet,
  chain: DevChain,
  method: string,
  params: readonly unknown[],
): Promise<WalletAnswer> {
  wallet.requested.push(method)
  if (wallet.rejects.includes(method)) return RPC_ERROR(4001, 'User rejected the request.')
  await wallet.during(method)
  return answer(wallet, chain, method, params)
}

/** The wallet before anybody touched it. */
export function untouched(account: Customer) {
  return {
    account,
    chainId: BASE.chainId,
    rejects: [],
    chains: [BASE.chainId],
    isOnRealBase: false,
    during: () => {},
  }
}

async function answer(
  wallet: ScriptedWallet,
  chain: DevChain,
  method: string,
  params: readonly unknown[],
): Promise<WalletAnswer> {
  if (method === 'eth_requestAccounts') return { result: [wallet.account.address] }
  if (method === 'eth_chainId') return { result: `0x${wallet.chainId.toString(16)}` }
  if (method === 'eth_signTypedData_v4') {
    const [account, data] = params as [string, string]
    if (account !== wallet.account.address) return RPC_ERROR(4100, 'Unauthorized account.')
    const { domain, types, primaryType, message } = JSON.parse(data)
    // As MetaMask does.
    if (domain.chainId !== wallet.chainId)
      return RPC_ERROR(-32603, 'Provided chainId must match the active one.')
    return { result: await wallet.account.signTypedData({ domain, types, primaryType, message }) }
  }
  if (method === 'wallet_switchEthereumChain') {
    const chainId = Number((params[0] as { chainId: string }).chainId)
    if (!wallet.chains.includes(chainId)) return RPC_ERROR(4902, 'Unrecognized chain ID.')
    wallet.chainId = chainId
    return { result: null }
  }
  if (method === 'wallet_addEthereumChain') {
    wallet.chainId = Number((params[0] as { chainId: string }).chainId)
    return { result: null }
  }
  const isMint = JSON.stringify(params).includes('0x40c10f19')
  if (method !== 'eth_call' || (isMint && wallet.isOnRealBase)) return RPC_ERROR(-32603, 'execution reverted')
  return { result: await chain.rpc.call(method, params as never) }
}
