import type { Address, Hex } from '@tollbook/chain/hex'
import type { Signature } from '@tollbook/chain/key-signer'
import { readTransaction } from '@tollbook/chain/read-transaction'
import { loadSignerRecovery } from '@tollbook/chain/recover'
import { createDirectRpc } from '@tollbook/chain/rpc/rpc'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { signTransaction } from '@tollbook/chain/sign-transaction'
import { hashTypedData, serializeTypedData } from '@tollbook/chain/typed-data'
import { InvalidAnswer } from '@tollbook/flow/failure'
import type { WalletSigner } from './wallet-signer.ts'

/** A signer on the same network answers in milliseconds, one in front of a cloud's KMS in some hundred. */
const TIMEOUT_MS = 5_000
/** JSON-RPC 2.0: the method does not exist. */
const NO_METHOD = -32_601

export type RemoteSignerOptions = {
  /** http or https; user and password become basic authentication. */
  readonly url: string
  readonly address: Address
}

/**
 * Signs with a key that a server holds: Web3Signer, or any other with `eth_signTransaction` (Ethereum execution APIs)
 * and `eth_signTypedData_v4` or `eth_signTypedData`. What it returns is used only if it is this wallet's signature of
 * exactly what was asked.
 * @throws TypeError for an invalid URL; each call what the RPC throws, or InvalidAnswer.
 */
export function createRemoteSigner({ url, address }: RemoteSignerOptions): WalletSigner {
  const rpc = createDirectRpc({ url, timeoutMs: TIMEOUT_MS, name: 'signer' })
  const { recoverSigner } = loadSignerRecovery()

  async function checkSignature(digest: Uint8Array, signature: Hex): Promise<void> {
    const bytes = Buffer.from(signature.slice(2), 'hex')
    const signer = bytes.length === 65 ? await recoverSigner(digest, bytes) : null
    if (signer !== address)
      throw new InvalidAnswer('the signer did not sign what was asked with the key of the wallet')
  }

  async function callTyped(typed: string): Promise<unknown> {
    try {
      return await rpc.call('eth_signTypedData_v4', [address, typed])
    } catch (error) {
      if (!(error instanceof RpcRefusal) || error.code !== NO_METHOD) throw error
      return rpc.call('eth_signTypedData', [address, typed])
    }
  }

  return {
    address,
    signTransaction: (chainId, fields) =>
      signTransaction(
        {
          async sign(digest) {
            const { nonce, call, gas, fees } = fields
            const requested = {
              from: address,
              to: call.to,
              data: call.data,
              value: 0,
              nonce,
              gas,
              chainId,
              ...fees,
            }
            const answer = await rpc.call('eth_signTransaction', [toQuantities(requested)])
            const signature = readSignature(answer)
            await checkSignature(digest, toBytes65(signature))
            return signature
          },
        },
        chainId,
        fields,
      ),
    async signTypedData(typed) {
      const signature = toHex(await callTyped(serializeTypedData(typed)))
      await checkSignature(hashTypedData(typed), signature)
      return signature
    },
  }
}

/** Numbers as the execution APIs write them. */
function toQuantities(fields: Readonly<Record<string, string | number | bigint>>): Record<string, string> {
  const named = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : `0x${value.toString(16)}`,
  ])
  return Object.fromEntries(named)
}

/** The signature of a signed transaction: the bytes alone, or with the transaction, as geth answers. */
function readSignature(answer: unknown): Signature {
  const raw = typeof answer === 'object' && answer !== null && 'raw' in answer ? answer.raw : answer
  try {
    return readTransaction(toHex(raw))
  } catch (error) {
    throw new InvalidAnswer('the signer did not return a signed transaction', { cause: error })
  }
}

function toBytes65({ r, s, yParity }: Signature): Hex {
  const [first, second] = [r, s].map((half) => half.slice(2).padStart(64, '0'))
  return `0x${first}${second}${(27 + yParity).toString(16)}`
}

function toHex(value: unknown): Hex {
  if (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)) return value as Hex
  throw new InvalidAnswer('the signer did not return bytes')
}
