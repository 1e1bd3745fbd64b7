import assert from 'node:assert/strict'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devFacilitatorKey, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { PROBLEMS, type ProblemCode } from '@tollbook/http/problem'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  maxUint256,
  type PublicClient,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Payer, type SignOptions, signPayment } from '../payments/sign-payment.ts'
import { createDesk, type Desk } from './desk.ts'
import { type Seller, type SellerOptions, startSeller } from './seller.ts'

export type Customer = Payer & { readonly key: Hex }

export type Shop = {
  readonly seller: Seller
  readonly desk: Desk
  readonly chain: PublicClient
  /** A new wallet with USDC, and gas for transactions of its own. */
  newPayer(amount?: bigint): Promise<Customer>
  /** Lets Permit2 move the payer's USDC. */
  allowPermit2(payer: Customer): Promise<void>
  /** Sends a transaction and waits for it. @throws if it would revert. */
  call(key: Hex, call: ContractCall): Promise<void>
  callUsdc(key: Hex, functionName: string, args: readonly unknown[]): Promise<void>
  balanceOf(wallet: Address): Promise<bigint>
  /** The seller's USDC. */
  earned(): Promise<bigint>
  /** What the calls paid from the only channel cost, micro-USDC. */
  chargedToChannel(): Promise<bigint>
  /** What the seller earns during a run. */
  earnedBy(work: () => Promise<unknown>): Promise<bigint>
  challenge(path: string, method?: string): Promise<PaymentRequired>
  /** Signs for a path; returns the value of `PAYMENT-SIGNATURE`. */
  sign(payer: Payer, path: string, options?: SignOptions & { readonly method?: string }): Promise<string>
  /** Sends a request with a payment. */
  ask(path: string, payment?: string, init?: RequestInit): Promise<Response>
  /** The unmodified client of x402, over any fetch; `signatures` counts what it signed. */
  stockClient(payer: Customer): {
    over(inner: typeof fetch): typeof fetch
    signatures(): number
  }
  close(): Promise<void>
}

type ContractCall = {
  readonly address: Address
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

/** A dollar: a hundred calls. */
const POCKET = 1_000_000n
/** Any wallet with gas that is neither payer nor facilitator. */
export const STRANGER = DEV_CLIENT_KEYS[9]

/** Opens a real service, with a chain of its own; without endpoints, those of the desk. */
export async function openShop(options: Partial<SellerOptions> = {}): Promise<Shop> {
  const desk = createDesk()
  const seller = await startSeller({ endpoints: desk.endpoints, ...options })
  const chain = createPublicClient({ transport: http(seller.chain.rpcUrl) })

  const balanceOf = (wallet: Address) =>
    chain.readContract({ address: BASE.usdc, abi: devUsdcAbi, functionName: 'balanceOf', args: [wallet] })

  async function call(key: Hex, wanted: ContractCall): Promise<void> {
    const account = privateKeyToAccount(key)
    const wallet = createWalletClient({ account, transport: http(seller.chain.rpcUrl) })
    // The name determines the arguments' types, which are not known here.
    const hash = await wallet.writeContract({ ...wanted, chain: null } as never)
    const receipt = await chain.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    assert.equal(receipt.status, 'success')
  }

  const callUsdc = (key: Hex, functionName: string, args: readonly unknown[]) =>
    call(key, { address: BASE.usdc, abi: devUsdcAbi, functionName, args })

  async function challenge(path: string, method = 'GET'): Promise<PaymentRequired> {
    const response = await fetch(`${seller.url}${path}`, { method })
    const header = response.headers.get('payment-required') ?? ''
    return decodePaymentRequiredHeader(header) as unknown as PaymentRequired
  }

  const earned = () => balanceOf(devPayTo.utility)

  return {
    seller,
    desk,
    chain,
    balanceOf,
    call,
    callUsdc,
    challenge,
    earned,
    chargedToChannel: async () => {
      const row = await seller.state.db.selectFrom('payment_channel').select('charged').executeTakeFirst()
      return BigInt(row?.charged ?? 0)
    },
    earnedBy: async (work) => {
      const before = await earned()
      await work()
      return (await earned()) - before
    },
    newPayer: async (amount = POCKET) => {
      const key = generatePrivateKey()
      const account = privateKeyToAccount(key)
      await Promise.all([
        seller.chain.fundUsdc(account.address, amount),
        seller.chain.fundGas(account.address),
      ])
      return { ...account, key }
    },
    allowPermit2: ({ key }) => callUsdc(key, 'approve', [CONTRACTS.permit2, maxUint256]),
    sign: async (payer, path, { method, ...options } = {}) =>
      signPayment(payer, await challenge(path, method), options),
    ask: (path, payment, init = {}) =>
      fetch(`${seller.url}${path}`, {
        ...init,
        headers: { ...init.headers, ...(payment !== undefined && { 'payment-signature': payment }) },
      }),
    stockClient: (payer) => {
      let signatures = 0
      const signTypedData: Customer['signTypedData'] = (data) => {
        signatures += 1
        return payer.signTypedData(data)
      }
      const signer = toClientEvmSigner({ ...payer, signTypedData } as never, chain)
      const client = new x402Client()
        .register(BASE.id, new ExactEvmScheme(signer))
        .register(BASE.id, new UptoEvmScheme(signer, { rpcUrl: seller.chain.rpcUrl }))
      return {
        over: (inner) => wrapFetchWithPayment(inner, client) as typeof fetch,
        signatures: () => signatures,
      }
    },
    close: () => seller.close(),
  }
}

/** The decoded payment header. */
export function openPayment(header: string) {
  return JSON.parse(Buffer.from(header, 'base64').toString()) as {
    x402Version: number
    resource: Record<string, unknown>
    accepted: Record<string, unknown>
    payload: {
      signature: Hex
      authorization: Record<'from' | 'to' | 'nonce', Hex> &
        Record<'value' | 'validAfter' | 'validBefore', string>
    }
    extensions: Record<string, unknown>
  }
}

export function closePayment(payload: unknown): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

/** The receipt of a response, or null. */
export function receiptOf(response: Response) {
  const header = response.headers.get('payment-response')
  return header === null ? null : decodePaymentResponseHeader(header)
}

/** Words from stack traces, folders and keys, none of which belongs in an answer. */
const LEAKS = [
  /\bat .+:\d+:\d+/,
  /node_modules|file:\/\/|\.ts\b/,
  /\/(tmp|home|work|usr|root|var)\//,
  /sqlite|kysely|viem|SELECT |constraint/i,
  new RegExp(devFacilitatorKey.slice(2), 'i'),
]

/** The code of a problem document, after checking its form, its status and that all but its random ids leaks nothing. */
export async function refusalOf(response: Response): Promise<ProblemCode> {
  const text = await response.text()
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/, text)
  const { receipt, request_id, ...problem } = JSON.parse(text) as Record<string, unknown>
  for (const leak of LEAKS) assert.doesNotMatch(JSON.stringify(problem), leak)
  const { code, status, title } = problem as { code: ProblemCode; status: number; title: string }
  assert.ok(Object.hasOwn(PROBLEMS, code), `${code} is not registered`)
  assert.equal(status, response.status)
  assert.deepEqual({ status, title }, PROBLEMS[code])
  return code
}
