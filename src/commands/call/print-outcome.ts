import { writeFile } from 'node:fs/promises'
import { chargeOf } from '../../buying/offer.ts'
import type { CallOutcome } from '../../buying/pay.ts'
import { formatUsd } from '../../money/usdc.ts'
import { toPlainLine } from '../../report/verify/plain-line.ts'

/** Applies to texts of the service. */
const MAX_LINE_LENGTH = 4_000

/** Prints the answer on standard output or to a file, all else on standard error. @returns the exit code */
export async function printOutcome(
  outcome: CallOutcome,
  how: { asJson: boolean; file?: string },
): Promise<number> {
  switch (outcome.kind) {
    case 'declined':
      process.stderr.write('not paid\n')
      return 1
    case 'no-offer':
      process.stderr.write(`not paid: ${outcome.reason}\n`)
      return 1
    case 'faulty':
      process.stderr.write(
        `not paid: invalid request: ${toPlainLine(outcome.problem.detail, MAX_LINE_LENGTH)}\n`,
      )
      if (how.asJson) process.stdout.write(`${JSON.stringify(outcome.body)}\n`)
      return 1
    case 'unpaid':
    case 'answered':
      return await printResponse(outcome, how)
    default:
      throw new Error('unreachable', { cause: outcome satisfies never })
  }
}

async function printResponse(
  outcome: Extract<CallOutcome, { response: Response }>,
  { asJson, file }: { asJson: boolean; file?: string },
): Promise<number> {
  const { response } = outcome
  const settlement = outcome.kind === 'answered' ? outcome.settlement : null
  const paid = settlement?.success === true ? settlement : null
  const offer = outcome.kind === 'answered' ? outcome.offer : null
  const bytes = new Uint8Array(await response.arrayBuffer())
  const charged = paid && offer ? formatUsd(chargeOf(offer, paid)) : null
  // An error is text for the user, not audio or an image, so it is never written to the file.
  const written = response.ok ? file : undefined
  if (written !== undefined) await writeFile(written, bytes)
  if (asJson) {
    const body =
      written === undefined
        ? toJsonBody(bytes, response.headers.get('content-type') ?? '')
        : toMember('file', written)
    const summary = {
      status: response.status,
      paid_usd: charged,
      transaction: paid?.transaction || null,
    }
    process.stdout.write(`${JSON.stringify(summary).slice(0, -1)},${body}}\n`)
  } else {
    if (written === undefined) process.stdout.write(bytes)
    const where = paid?.transaction
      ? `transaction ${toPlainLine(paid.transaction, MAX_LINE_LENGTH)}`
      : 'no transaction'
    const cost = charged === null ? 'not charged' : `paid $${charged} in ${where}`
    process.stderr.write(`\n${response.status} ${cost}\n`)
  }
  return response.ok ? 0 : 1
}

/** The raw text of a JSON body: parsing it would round large numbers. */
function toJsonBody(bytes: Uint8Array, contentType: string): string {
  const text = new TextDecoder().decode(bytes)
  if (/[/+]json\b/.test(contentType) && isJson(text)) return `"body":${text.trim()}`
  return /^text\/|json\b|[/+]xml\b/.test(contentType)
    ? toMember('body', text)
    : toMember('body_base64', Buffer.from(bytes).toString('base64'))
}

function toMember(name: string, value: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
