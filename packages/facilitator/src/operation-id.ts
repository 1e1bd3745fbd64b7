import { createHash } from 'node:crypto'
import { hashChannelDomain, hashRefund, toDigest } from '@tollbook/chain/digests'
import type { Hex } from '@tollbook/chain/hex'
import type { Network } from '@tollbook/chain/network'
import { loadSignerRecovery } from '@tollbook/chain/recover'
import { canonicalPieces } from '@tollbook/gate/gate/canonical-json'
import type { ChannelRequest } from './read-channel-request.ts'

/**
 * Names the row of a channel operation. A refund that its authorizer has signed is named by channel and nonce, since
 * the chain accepts one for each; a forged one is not, so that it cannot delay it. Everything else is named by its
 * content.
 */
export function createOperationId({ chainId }: Network): (read: ChannelRequest) => Promise<Hex> {
  const { recoverSigner } = loadSignerRecovery()
  const domain = hashChannelDomain(chainId)

  async function isSigned({ refund, authorizer, channel }: ChannelRequest): Promise<boolean> {
    if (!refund?.signature || channel === null) return false
    const digest = toDigest(domain, hashRefund(channel, refund))
    const signer = await recoverSigner(digest, Buffer.from(refund.signature.slice(2), 'hex'))
    return signer !== null && signer === authorizer
  }

  return async (read) => {
    const { kind, payload, channel, refund } = read
    const name = (await isSigned(read)) ? [kind, channel, refund?.nonce] : [kind, payload]
    const hash = createHash('sha256')
    for (const piece of canonicalPieces(name)) hash.update(piece)
    return `0x${hash.digest('hex')}`
  }
}
