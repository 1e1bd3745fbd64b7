import type { Address } from '../../../chain/hex.ts'
import { ProblemError } from '../../../http/problem.ts'
import type { RateLimiter } from '../../../http/request/rate-limit.ts'
import { acceptClaim } from '../../claims/accept-claim.ts'
import { renderChallengeText } from '../../claims/challenge-text.ts'
import { createChallenge, findChallenge } from '../../claims/challenges.ts'
import { readClaim, readClaimRecord } from '../../claims/stored-claims.ts'
import { ROLLING } from '../editions/publish-run.ts'
import { PAGE_HEADERS } from '../pages/layout.ts'
import { toRenderedText } from '../serving/rendered-text.ts'
import type { PostedRequest, ReportContext, ReportPorts, ReportRoute } from '../serving/route.ts'
import { serveDocument } from '../serving/serve-document.ts'
import { toChallengeDocument, toClaimDocument } from './claim-document.ts'
import { addressShape, challengeShape, claimFormShape, claimShape } from './claim-fields.ts'
import { renderAcceptedPage, renderClaimsPage, renderSignPage } from './claims-page.ts'
import { checkFields, readPosted } from './posted-fields.ts'

/** Separator between two items of a list in a form field. */
const SEPARATORS = /[\s,;]+/

/** The routes by which a wallet proves that it is the merchant and publishes its claim. */
export const CLAIM_ROUTES: readonly ReportRoute[] = [
  { name: 'claims', path: '/claims', answer: answerPage, post: takeClaim, isPage: true },
  { name: 'claim-challenge', path: '/claims/challenge', post: giveChallenge, isPage: true },
  {
    name: 'claim-record',
    path: '/merchants/base/:file{0[xX][0-9a-fA-F]{40}}/claim.json',
    answer: answerRecord,
  },
]

async function answerPage(context: ReportContext, { state, baseUrl }: ReportPorts): Promise<Response> {
  const given = addressShape.safeParse(context.req.query('address') ?? '')
  const address = given.success ? given.data : null
  const claim = address === null ? null : await readClaimRecord(state, address)
  return answerHtml(await renderClaimsPage(baseUrl, { address, claim }))
}

async function giveChallenge({ context, client }: PostedRequest, ports: ReportPorts): Promise<Response> {
  const { state, baseUrl, now, limits } = ports
  take(limits.claimsOfClient, client)
  const { given, form } = await readPosted(context)
  const wish = checkFields(challengeShape, form ? fromForm(form) : given)
  take(limits.claimsOfWallet, wish.address)
  if (!(await isMerchant(ports, wish.address))) {
    const detail = `${wish.address} has no report: no x402 payment to it was found, and no listing names it as payee.`
    throw new ProblemError({ code: 'not_found', detail })
  }
  if (wish.action === 'withdraw' && !(await readClaim(state, wish.address)))
    throw new ProblemError({ code: 'not_found', detail: `${wish.address} has no claim to withdraw.` })
  const challenge = await createChallenge(state, wish, now())
  if (form) return answerHtml(await renderSignPage(challenge, baseUrl))
  return answerJson(toChallengeDocument(challenge, baseUrl), 201)
}

async function takeClaim({ context, client }: PostedRequest, ports: ReportPorts): Promise<Response> {
  take(ports.limits.claimsOfClient, client)
  const { given, form } = await readPosted(context)
  const signed = form ? await findSigned(form, ports) : checkFields(claimShape, given)
  const claim = await acceptClaim(ports, signed, context.req.raw.signal)
  if (form) return answerHtml(await renderAcceptedPage(claim))
  return answerJson(toClaimDocument(claim.address, claim), 201)
}

async function answerRecord(context: ReportContext, ports: ReportPorts): Promise<Response> {
  const address = (context.req.param('file') ?? '').toLowerCase() as Address
  const claim = await readClaimRecord(ports.state, address)
  if (!claim && !(await isMerchant(ports, address)))
    throw new ProblemError({ code: 'not_found', detail: `No x402 payment to ${address} was found.` })
  return serveDocument(context, {
    text: toRenderedText(`${JSON.stringify(toClaimDocument(address, claim), null, 2)}\n`),
    contentType: 'application/json; charset=utf-8',
    lastModified: claim?.madeAt ?? ports.startedAt,
    maxAgeSeconds: ports.maxAgeSeconds,
  })
}

/** A wallet can be claimed if it has a report, or if a listing names it as payee. */
async function isMerchant({ state, reader }: ReportPorts, address: Address): Promise<boolean> {
  if (await reader.report(ROLLING, address)) return true
  const query = state.db.selectFrom('report_listings').select('pay_to').where('pay_to', '=', address)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

function fromForm({ disclosures, statement, ...rest }: Readonly<Record<string, string>>): unknown {
  // The withdraw button is in the same form, so the other fields are ignored on a withdrawal.
  if (rest.action === 'withdraw') return rest
  return {
    ...rest,
    ...(disclosures !== undefined && { disclosures: disclosures.split(SEPARATORS) }),
    ...(statement !== undefined && { statement: statement.replaceAll(/\s*[\r\n]+\s*/g, ' ') }),
  }
}

async function findSigned(form: Readonly<Record<string, string>>, { state, now, baseUrl }: ReportPorts) {
  const { nonce, signature } = checkFields(claimFormShape, form)
  const challenge = await findChallenge(state, nonce, now())
  // acceptClaim rejects a text that is no longer open, like any other invalid text.
  return { message: challenge ? renderChallengeText(challenge, baseUrl) : '', signature }
}

function take(limiter: RateLimiter, who: string): void {
  const retryAfterSeconds = limiter.take(who)
  if (retryAfterSeconds === 0) return
  const detail = `Too many claim requests. Retry in ${retryAfterSeconds} seconds.`
  throw new ProblemError({ code: 'rate_limited', detail, retryAfterSeconds })
}

function answerJson(document: unknown, status: number): Response {
  return new Response(`${JSON.stringify(document, null, 2)}\n`, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  })
}

function answerHtml(page: string): Response {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    ...PAGE_HEADERS,
  }
  return new Response(page, { headers })
}
