import { Refusal } from './request.js'

/**
 * EIP-1193. Its errors have a `code`.
 * @typedef {{ request(call: { method: string, params?: unknown[] }): Promise<any> }} Provider
 * @typedef {{ name: string, provider: Provider, isDemo?: boolean }} Wallet
 * @typedef {{ network: string, amount: string, asset: string, payTo: string, maxTimeoutSeconds: number,
 *   scheme: string, extra: Record<string, string> }} Terms
 */

/** What a wallet needs to add Base. */
const BASE = {
  chainId: '0x2105',
  chainName: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: ['https://mainnet.base.org'],
  blockExplorerUrls: ['https://basescan.org'],
}
/** How long wallets that announce themselves have before an older one is offered. */
const OLDER_WALLET_MS = 500

/**
 * Calls back with each wallet of the browser (EIP-6963).
 * @param {(wallet: Wallet) => void} onFound
 */
export function discoverWallets(onFound) {
  const seen = new Set()
  addEventListener('eip6963:announceProvider', (event) => {
    const { info, provider } = /** @type {CustomEvent} */ (event).detail
    if (!seen.has(info.uuid)) onFound({ name: String(info.name), provider })
    seen.add(info.uuid)
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  setTimeout(() => {
    const provider = /** @type {{ ethereum?: Provider }} */ (window).ethereum
    if (provider && seen.size === 0) onFound({ name: 'the wallet of this browser', provider })
  }, OLDER_WALLET_MS)
}

/**
 * The account of the dev chain whose key is public; the service signs for it.
 * @type {Wallet}
 */
export const DEMO_ACCOUNT = {
  name: 'the demo account',
  isDemo: true,
  provider: {
    async request({ method, params = [] }) {
      const query = new URLSearchParams({ method, params: JSON.stringify(params) })
      const { result, detail } = await (await fetch(`/pay/demo-account?${query}`)).json()
      if (detail) throw new Error(detail)
      return result
    },
  },
}

/**
 * The account that pays: on the right chain, and with enough USDC.
 * @param {Wallet} wallet
 * @param {Terms} terms
 * @param {boolean} isDemo whether only the local chain has what is paid with
 * @returns {Promise<string>}
 */
export async function connect(wallet, terms, isDemo) {
  const accounts = await requestFrom(wallet, 'eth_requestAccounts')
  const account = Array.isArray(accounts) ? accounts[0] : undefined
  if (typeof account !== 'string')
    throw new Refusal(`${wallet.name} shows no account. Unlock it and pay again.`)
  await switchChain(wallet, `0x${Number(terms.network.split(':')[1]).toString(16)}`)
  const to = terms.asset
  if (isDemo && !wallet.isDemo) await refuseRealMoney(wallet, account, to)
  const balance = await requestFrom(wallet, 'eth_call', [
    { to, data: `0x70a08231${word(account)}` },
    'latest',
  ])
  if (!/^0x[0-9a-f]+$/i.test(balance))
    throw new Refusal(`${wallet.name} cannot read its balance of USDC. Check its network. Nothing was paid.`)
  if (BigInt(balance) < BigInt(terms.amount)) {
    const texts = [toDollars(BigInt(balance)), toDollars(BigInt(terms.amount))]
    throw new Refusal(
      `Too little USDC: this account of ${wallet.name} has ${texts[0]} on Base, and the call costs ${texts[1]}.`,
    )
  }
  return account
}

/**
 * A request to a wallet; its refusals become sentences.
 * @param {Wallet} wallet
 * @param {string} method
 * @param {unknown[]} [params]
 */
export async function requestFrom({ name, provider }, method, params = []) {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    const { code, message } = /** @type {{ code?: number, message?: string }} */ (error ?? {})
    if (code === 4001) throw new Refusal(`You rejected the request in ${name}. Nothing was paid.`)
    if (code === -32002)
      throw new Refusal(`${name} already shows a request. Answer it there, then pay again.`)
    throw Object.assign(new Refusal(`${name} failed: ${message ?? 'no reason given'}. Nothing was paid.`), {
      code,
    })
  }
}

/**
 * @param {Wallet} wallet
 * @param {string} chainId
 */
async function switchChain(wallet, chainId) {
  const isThere = async () => Number(await requestFrom(wallet, 'eth_chainId')) === Number(chainId)
  if (await isThere()) return
  try {
    await requestFrom(wallet, 'wallet_switchEthereumChain', [{ chainId }])
  } catch (error) {
    if (/** @type {{ code?: number }} */ (error).code !== 4902 || chainId !== BASE.chainId)
      throw wrongChain(wallet)
    await requestFrom(wallet, 'wallet_addEthereumChain', [BASE])
  }
  if (!(await isThere())) throw wrongChain(wallet)
}

/** @param {Wallet} wallet */
function wrongChain({ name }) {
  return new Refusal(`${name} is on the wrong chain. Switch it to Base and pay again. Nothing was paid.`)
}

/**
 * The local chain has the id of Base, so a signature for it is also worth real money there. Only the local USDC lets
 * anyone mint.
 * @param {Wallet} wallet
 * @param {string} account
 * @param {string} asset
 */
async function refuseRealMoney(wallet, account, asset) {
  const data = `0x40c10f19${word(account)}${word('0x0')}`
  try {
    await requestFrom(wallet, 'eth_call', [{ from: account, to: asset, data }, 'latest'])
  } catch {
    throw new Refusal(
      `${wallet.name} is on the wrong chain: this is a demonstration, and its signature would be worth real money on Base. Pay with the demo account. Nothing was paid.`,
    )
  }
}

/** @param {string} hex */
function word(hex) {
  return hex.slice(2).toLowerCase().padStart(64, '0')
}

/** @param {bigint} amount micro-USDC */
function toDollars(amount) {
  const digits = amount.toString().padStart(7, '0')
  return `$${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, '')}`
}
