// What the tests use of the clients of x402 version 1: their own types name the packages of wallets and of
// other chains, which are not installed.

declare module 'x402-fetch' {
  import type { WalletClient } from 'viem'

  export function wrapFetchWithPayment(inner: typeof fetch, wallet: WalletClient): typeof fetch
  export function decodeXPaymentResponse(header: string): {
    readonly success: boolean
    readonly network: string
  }
}

declare module 'axios' {
  export type Client = {
    get(url: string): Promise<{ readonly status: number; readonly headers: Record<string, string> }>
  }
  export function create(): Client
}

declare module 'x402-axios' {
  import type { Client } from 'axios'
  import type { WalletClient } from 'viem'

  export function withPaymentInterceptor(client: Client, wallet: WalletClient): Client
}
