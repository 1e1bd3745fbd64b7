import type { Address } from '@tollbook/chain/hex'
import { walletAddress } from '@tollbook/chain/wallet-address'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import { acceptsHtml } from '@tollbook/http/reply/document'
import type { RateLimiter } from '@tollbook/http/request/rate-limit'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import * as z from 'zod'
import { renderChallengeText } from '../claims/challenge-text.ts'
import { createChallenge, findChallenge } from '../claims/challenges.ts'
import { acceptClaim } from '../claims/signing/accept-claim.ts'
import { readClaimRecord, requireClaim } from '../claims/stored-claims.ts'
import { renderAcceptedPage, renderClaimsPage, renderSignPage } from '../pages/claims-page.ts'
import { challengeShape, claimShape, toChallengeDocument, toClaimDocument } from './claim-document.ts'
import { challengeInput, claimInput } from './claim-fields.ts'
import { answerHtml, defineRead, type ReportCall, textOf, toJsonDocument } from './reads/define-read.ts'
import { address, EXAMPLE_ADDRESS } from './reads/parameters.ts'
import type { ReportPorts } from './reads/ports.ts'

const SEPARATORS = /[\s,;]+/

/**
 * The lines of a form's text on one line. Not by an expression that looks for white space before line breaks: a run of
 * spaces that fills the form, which anyone may send, would take seconds.
 */
function joinLines(text: string): string {
  const lines = text.split(/[\r\n]+/)
  return lines
    .map((line, at) => (at === 0 ? line : line.trimStart()))
    .map((line, at) => (at === lines.length - 1 ? line : line.trimEnd()))
    .filter((line, at) => line !== '' || at === 0 || at === lines.length - 1)
    .join(' ')
}
export const NOT_STORED = { 'cache-control': 'no-store' }

/**
 * A free POST of JSON, or of a form without script. It fits the longest message and a signature that deploys
 * a wallet, both percent-encoded; the answer names each unknown field, so that their number is limited.
 */
export const POST = {
  method: 'POST',
  pricing: { kind: 'free' },
  limits: { bodyBytes: 65_536, bodyValues: 100, timeoutMs: 30_000 },
  status: 201,
  isPage: true,
} as const

const claimsPage = defineRead({
  id: 'claims',
  path: '/claims',
  summary: 'The forms to claim or dispute a report, as an HTML page',
  input: z.object({ address: z.string().optional().describe('Fills the forms for this wallet.') }),
  output: textOf('text/html'),
  example: {},
  isPage: true,
  hasValidators: false,
  async answer({ input, ports: { state, baseUrl } }) {
    const wallet = walletAddress.safeParse(input.address ?? '')
    const address = wallet.success ? wallet.data : null
    const claim = address === null ? null : await readClaimRecord(state, address)
    return answerHtml(await renderClaimsPage(baseUrl, { address, claim }))
  },
})

const challenge = defineEndpoint({
  ...POST,
  id: 'claim-challenge',
  path: '/claims/challenge',
  summary: 'Get a text to sign for a claim or its withdrawal',
  description:
    'A text to sign (EIP-4361). It contains everything that its signature publishes and is valid for 15 minutes.',
  input: challengeInput,
  output: challengeShape,
  example: { input: { address: EXAMPLE_ADDRESS } },
  fromForm({ disclosures, statement, max_price_usd, ...rest }) {
    // The withdraw button is in the same form, so the other fields are ignored on a withdrawal.
    if (rest.action === 'withdraw') return rest
    return {
      ...rest,
      ...(max_price_usd !== undefined && { max_price_usd }),
      ...(disclosures !== undefined && { disclosures: disclosures.split(SEPARATORS) }),
      ...(statement !== undefined && { statement: joinLines(statement) }),
    }
  },
  async handle({ input: wish, ports, clientAddress, accept }: ReportCall<z.output<typeof challengeInput>>) {
    const { state, baseUrl, now, limits } = ports
    take(limits.claimsOfClient, clientAddress)
    if (!(await isMerchant(ports, wish.address))) {
      const detail = `${wish.address} has no report: no x402 payment to it was found, and no listing names it as payee.`
      throw new ProblemError({ code: 'not_found', detail })
    }
    if (wish.action !== 'claim') await requireClaim(state, wish.address)
    const { max_price_usd: maxPrice, ...rest } = wish
    const challenge = await createChallenge(state, { ...rest, maxPrice }, now())
    if (acceptsHtml(accept)) return answerHtml(await renderSignPage(challenge, baseUrl))
    return json(toChallengeDocument(challenge, baseUrl), { status: 201, headers: NOT_STORED })
  },
})

const claim = defineEndpoint({
  ...POST,
  id: 'claim',
  path: '/claims',
  summary: 'Claim a report, or withdraw the claim',
  description: 'Claims a report, or withdraws the claim, with the signature of a challenge.',
  input: claimInput,
  output: claimShape,
  example: { input: { nonce: '0'.repeat(32), signature: `0x${'00'.repeat(65)}` } },
  fromForm: (fields) => fields,
  check({ message, nonce }) {
    if ((message === undefined) !== (nonce === undefined)) return []
    const detail = message === undefined ? 'is required' : 'must be absent if nonce is sent'
    return [{ parameter: 'message', detail }]
  },
  async handle({ input, ports, signal, clientAddress, accept }: ReportCall<z.output<typeof claimInput>>) {
    take(ports.limits.claimsOfClient, clientAddress)
    const {
      nonce,
      message = await findMessage(nonce ?? '', ports),
      max_price_usd: maxPrice,
      ...signed
    } = input
    const claim = await acceptClaim(ports, { ...signed, message, maxPrice }, signal)
    if (acceptsHtml(accept)) return answerHtml(await renderAcceptedPage(claim))
    return json(toClaimDocument(claim.address, claim), { status: 201, headers: NOT_STORED })
  },
})

const claimRecord = defineRead({
  id: 'claim-record',
  path: '/merchants/base/{address}/claim.json',
  summary: 'The public record of a merchant’s claim',
  input: z.object({ address }),
  output: claimShape,
  example: { address: EXAMPLE_ADDRESS },
  async answer({ input: { address }, ports }) {
    const claim = await readClaimRecord(ports.state, address)
    if (!claim && !(await isMerchant(ports, address)))
      throw new ProblemError({ code: 'not_found', detail: `No x402 payment to ${address} was found.` })
    return toJsonDocument(toClaimDocument(address, claim), {
      lastModified: claim?.madeAt ?? ports.startedAt,
      maxAgeSeconds: ports.maxAgeSeconds,
    })
  },
})

/** The endpoints by which a wallet proves that it is the merchant and publishes its claim. */
export const CLAIM_ENDPOINTS: readonly Endpoint[] = [claimsPage, challenge, claim, claimRecord]

/** A wallet can be claimed if it has a report, or if a listing names it as payee. */
async function isMerchant({ state, reader }: ReportPorts, address: Address): Promise<boolean> {
  if (await reader.report(ROLLING, address)) return true
  const query = state.db.selectFrom('report_listings').select('pay_to').where('pay_to', '=', address)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** The text of an open challenge; empty if there is none, which acceptClaim rejects like any other text. */
export async function findMessage(nonce: string, { state, now, baseUrl }: ReportPorts): Promise<string> {
  const challenge = await findChallenge(state, nonce, now())
  return challenge ? renderChallengeText(challenge, baseUrl) : ''
}

/** @throws ProblemError `rate_limited`. */
export function take(limiter: RateLimiter, who: string): void {
  const retryAfterSeconds = limiter.take(who)
  if (retryAfterSeconds === 0) return
  const detail = `Too many claim requests. Retry in ${retryAfterSeconds} seconds.`
  throw new ProblemError({ code: 'rate_limited', detail, retryAfterSeconds })
}
