import type * as z from 'zod'
import { parseJsonBody } from '../../../catalogue/arguments/json-body.ts'
import { toFaults } from '../../../catalogue/arguments/zod-faults.ts'
import { type Fault, ProblemError } from '../../../http/problem.ts'
import { RequestBody } from '../../../http/request/request-body.ts'
import type { ReportContext } from '../serving/route.ts'

/** Fits the longest message, percent-encoded by a form, and a signature that deploys a wallet, twice. */
const MAX_BODY_BYTES = 65_536
/** A claim has only a few fields. The answer names each unknown one, so their number is limited. */
const MAX_VALUES = 100
const FORM = 'application/x-www-form-urlencoded'

export type Posted = {
  /** The JSON value, or the text fields of a form by name, trimmed and without empty ones. */
  readonly given: unknown
  /** Whether a page's form was sent, so that the response is a page. */
  readonly form: Readonly<Record<string, string>> | null
}

/**
 * Reads the body of a POST: JSON, or a form submitted without script.
 * @throws ProblemError `unsupported_media_type`, `too_large`, `invalid_request`.
 */
export async function readPosted({ req }: ReportContext): Promise<Posted> {
  const type = (req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== FORM && type !== 'application/json') refuseType('Send the body as application/json.')
  if ((req.header('content-encoding') ?? 'identity') !== 'identity')
    refuseType('Send the body without a content encoding.')
  const bytes = await readBytes(req.raw)
  if (type !== FORM) return { given: parseJson(bytes), form: null }
  const form = parseForm(bytes)
  return { given: form, form }
}

/**
 * Validates the posted value.
 * @throws ProblemError `invalid_request` or `unknown_parameter` that lists every fault.
 */
export function checkFields<Shape extends z.ZodType>(shape: Shape, given: unknown): z.output<Shape> {
  const parsed = shape.safeParse(given)
  return parsed.success ? parsed.data : refuse(toFaults(parsed.error.issues, given))
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const body = new RequestBody(request.body)
  const bytes = await body.read(MAX_BODY_BYTES).catch(() => {
    throw new ProblemError({ code: 'invalid_request', detail: 'The body is incomplete.' })
  })
  if (bytes) return bytes
  throw new ProblemError({
    code: 'too_large',
    detail: `The body is too large (limit ${MAX_BODY_BYTES} bytes).`,
    members: { limit_bytes: MAX_BODY_BYTES },
  })
}

function parseJson(bytes: Uint8Array): unknown {
  const json = parseJsonBody(bytes, { values: MAX_VALUES })
  return 'value' in json ? json.value : refuse([{ parameter: 'body', detail: json.fault }])
}

function parseForm(bytes: Uint8Array): Readonly<Record<string, string>> {
  // URLSearchParams never fails: invalid UTF-8 becomes U+FFFD, which is rejected where it matters.
  const texts: Record<string, string> = Object.create(null)
  const pairs = new URLSearchParams(new TextDecoder().decode(bytes))
  if (pairs.size > MAX_VALUES)
    refuse([{ parameter: 'body', detail: `has too many fields (limit ${MAX_VALUES})` }])
  for (const [name, value] of pairs) {
    if (name in texts) refuse([{ parameter: name.slice(0, 40), detail: 'is set more than once' }])
    if (value.trim() !== '') texts[name] = value.trim()
  }
  return texts
}

function refuse(faults: readonly Fault[]): never {
  const isUnknown = faults.every((fault) => fault.code === 'unknown_parameter')
  const detail = `${faults.map((fault) => `${fault.parameter}: ${fault.detail}`).join('; ')}.`
  throw new ProblemError({ code: isUnknown ? 'unknown_parameter' : 'invalid_request', detail, faults })
}

function refuseType(detail: string): never {
  throw new ProblemError({ code: 'unsupported_media_type', detail })
}
