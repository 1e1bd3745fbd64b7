// What the tests use of the clients of x402 version 1: their own types name the packages of wallets and of
// other chains, which are not installed.

declare module 'x402-fetch' {
  import type { WalletClient } from 'viem'

  /** @param maxValue micro-USDC; default a tenth of a dollar. */
  export function wrapFetchWithPayment(
    inner: typeof fetch,
    wallet: WalletClient,
    maxValue?: bigint,
  ): typeof fetch
  export function decodeXPaymentResponse(header: string): {
    readonly success: boolean
    readonly network: string
  }
}

declare module 'axios' {
  type Answer = { readonly status: number; readonly headers: Record<string, string> }
  export type Client = {
    get(url: string): Promise<Answer>
    request(sent: {
      readonly url: string
      readonly method: string
      readonly data: unknown
      readonly headers: Record<string, string>
    }): Promise<Answer>
  }
  export function create(): Client
}

declare module 'x402-axios' {
  import type { Client } from 'axios'
  import type { WalletClient } from 'viem'

  export function withPaymentInterceptor(client: Client, wallet: WalletClient): Client
}
