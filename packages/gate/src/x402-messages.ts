import type { Address, Hex } from '@tollbook/chain/hex'

// What sellers and facilitators of any scheme send each other (x402 specs/x402-specification-v2.md, sections 5 and 7).

/** A network by CAIP-2. */
type NetworkId = `${string}:${string}`

/** `PaymentRequirements`, of any scheme and network. */
export type AnyRequirements = {
  readonly scheme: string
  readonly network: NetworkId
  readonly asset: string
  /** Atomic units. */
  readonly amount: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Readonly<Record<string, unknown>>
}

/** `PaymentPayload`; `payload` has what the scheme defines. */
export type PaymentPayload = {
  readonly x402Version: number
  readonly accepted: AnyRequirements
  readonly payload: Readonly<Record<string, unknown>>
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** `SettlementResponse`; `transaction` is empty if none was mined. */
export type SettleResponse = {
  readonly success: boolean
  readonly errorReason?: string
  readonly errorMessage?: string
  readonly payer?: string
  readonly transaction: string
  readonly network: NetworkId
  /** Atomic units that moved. */
  readonly amount?: string
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly extra?: Readonly<Record<string, unknown>>
}

export type VerifyResponse = {
  readonly isValid: boolean
  readonly invalidReason?: string
  readonly invalidMessage?: string
  readonly payer?: string
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly extra?: Readonly<Record<string, unknown>>
}

/** What a wallet signs by EIP-712, with the types that `eth_signTypedData_v4` needs. */
export type TypedData = {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: Address
  }
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

/** A wallet that signs typed data, wherever its key is. */
export type TypedDataSigner = {
  readonly address: Address
  /** @returns 65 bytes: r, s, v. */
  signTypedData(typed: TypedData): Promise<Hex>
}
