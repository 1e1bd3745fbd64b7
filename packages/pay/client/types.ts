import type { LocalAccount } from 'viem'

export type ServiceName = 'social' | 'utility' | 'inference'

export type TollbookOptions = {
  /** The payer: a private key, or an account of viem. */
  readonly key: `0x${string}` | LocalAccount
  /**
   * Dollars that all calls of this client may cost together. It is in memory: another process has its own. A metered
   * call counts with its maximum, and so does each payment that was sent, whatever the service answered.
   */
  readonly budget: string | number
  /** The maximum price of a call in dollars; default 0.10. */
  readonly max?: string | number
  /** The origins of the services; default those of this machine. */
  readonly origins?: Readonly<Partial<Record<ServiceName, string>>>
  /** JSON-RPC of Base, which only metered calls read; default the local chain. */
  readonly rpcUrl?: string
}

export type CallOptions = {
  readonly signal?: AbortSignal
  /** 16 to 128 letters, digits, `-` and `_`: calls with the same one are charged once, also in another process. */
  readonly idempotencyKey?: string
}

export type Receipt = {
  /** The hash of the transaction that paid. */
  readonly transaction: string
  /** What was charged, in dollars. */
  readonly amountUsd: string
  readonly payer: string
}

export type Result<Data> = {
  readonly data: Data
  readonly contentType: string
  /** Null if the call was free, and until the end of a metered stream. */
  readonly receipt: Receipt | null
}

/** What `JSON.parse` returns. */
type Json = ReturnType<typeof JSON.parse>
/** The parsed events of a stream as they arrive. */
export type Events = AsyncIterable<Json>

export type Method<Input, Output> = (input: Input, options?: CallOptions) => Promise<Result<Output>>
export type OptionalMethod<Input, Output> = (input?: Input, options?: CallOptions) => Promise<Result<Output>>
/** With `stream: true` the data are events. */
export type StreamingMethod<Input, Output> = <Sent extends Input>(
  input: Sent,
  options?: CallOptions,
) => Promise<Result<Sent extends { readonly stream: true } ? Events : Output>>

/** In dollars. */
export type Spending = { readonly budgetUsd: string; readonly spentUsd: string; readonly leftUsd: string }
