import type { Network } from '@tollbook/chain/network'
import { parseJson } from '@tollbook/flow/parse-json'
import { nonceOfChallenge } from '@tollbook/gate/protocols/mpp-offer'
import { authorizationTypes } from '@x402/evm'
import { type Address, getAddress } from 'viem'
import * as z from 'zod'
import type { OtherProtocol, Requested } from './requested.ts'

/** For a challenge that does not expire, as the SDK of MPP chooses. */
const LIFETIME_SECONDS = 300

const challengeShape = z.looseObject({
  id: z.string().min(1),
  realm: z.string(),
  method: z.literal('evm'),
  intent: z.literal('charge'),
  request: z.string(),
  expires: z.iso.datetime().optional(),
  description: z.string().optional(),
  /** Names another header for the credential. */
  header: z.never().optional(),
})
type Challenge = z.output<typeof challengeShape>

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const requestShape = z.object({
  amount: z.string().regex(/^\d{1,30}$/),
  currency: address,
  recipient: address,
  methodDetails: z.object({
    chainId: z.int(),
    credentialTypes: z.array(z.string()).refine((types) => types.includes('authorization')),
    splits: z.tuple([]).optional(),
  }),
})

/** The charges that a 402 requests by MPP (draft-evm-charge-00): USDC, by an EIP-3009 authorization. */
export function readCharges(headers: Headers, network: Network): readonly Requested[] {
  return readChallenges(headers.get('www-authenticate') ?? '').flatMap((parameters): Requested[] => {
    const challenge = challengeShape.safeParse(parameters).data
    const request =
      challenge && requestShape.safeParse(parseJson(Buffer.from(challenge.request, 'base64url'))).data
    if (!request || request.methodDetails.chainId !== network.chainId) return []
    const { expires, description = '' } = challenge
    const now = Math.floor(Date.now() / 1000)
    const validBefore =
      expires === undefined ? now + LIFETIME_SECONDS : Math.floor(Date.parse(expires) / 1000)
    const terms = {
      scheme: 'exact',
      network: network.id,
      amount: request.amount,
      asset: request.currency,
      payTo: request.recipient,
      maxTimeoutSeconds: validBefore - now,
      extra: { name: network.usdcName, version: network.usdcVersion },
    }
    const required = { x402Version: 2, resource: { url: '', description, mimeType: '' }, accepts: [terms] }
    return [{ required, protocol: answerTo(challenge, validBefore, network) }]
  })
}

/** Its nonce binds the authorization to its challenge. */
function answerTo(challenge: Challenge, validBefore: number, { chainId, id }: Network): OtherProtocol {
  return {
    async sign(account, { amount, payTo, asset, extra }) {
      const nonce = nonceOfChallenge(challenge)
      const message = { from: account.address, to: getAddress(payTo), nonce }
      const signature = await account.signTypedData({
        domain: { ...extra, chainId, verifyingContract: getAddress(asset) },
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: { ...message, value: BigInt(amount), validAfter: 0n, validBefore: BigInt(validBefore) },
      })
      const authorization = { ...message, value: amount, validAfter: '0', validBefore: `${validBefore}` }
      return { signature, authorization }
    },
    seal({ signature, authorization }) {
      const payload = { type: 'authorization', signature, ...(authorization as { from: Address }) }
      const source = `did:pkh:${id}:${payload.from}`
      const credential = Buffer.from(JSON.stringify({ challenge, payload, source })).toString('base64url')
      return ['authorization', `Payment ${credential}`]
    },
  }
}

/** A parameter (RFC 9110 section 11.2), or the scheme before one. */
const PART =
  /([\w!#$%&'*+.^`|~-]{1,40})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))|([\w-]{1,40})(?=\s+[\w-]{1,40}\s*=)/g

/** The parameters of each challenge whose scheme is `Payment`. */
function readChallenges(header: string): readonly Readonly<Record<string, string>>[] {
  const challenges: Map<string, string>[] = []
  let isPayment = false
  for (const [, name = '', quoted, plain = '', scheme] of header.matchAll(PART)) {
    if (scheme !== undefined) {
      isPayment = scheme.toLowerCase() === 'payment'
      if (isPayment) challenges.push(new Map())
    } else if (isPayment) challenges.at(-1)?.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain)
  }
  return challenges.map((parameters) => Object.fromEntries(parameters))
}
