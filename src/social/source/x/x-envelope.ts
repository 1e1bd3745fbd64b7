import * as z from 'zod'
import { ProblemError } from '../../../catalogue/problem.ts'
import { parseJson } from '../../../fetching/parse-json.ts'

/** An error inside an answer (docs.x.com, "Response codes and errors"); `parameters` stands in those of a 400. */
const xError = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  message: z.string().optional(),
  parameter: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
})
type XError = z.output<typeof xError>

const xEnvelope = z.looseObject({
  data: z.unknown().optional(),
  includes: z.record(z.string(), z.array(z.unknown())).optional(),
  meta: z.looseObject({ next_token: z.string().min(1).optional() }).optional(),
  errors: z.array(xError).optional(),
})

/** An answer of the X API as it came, in either dialect. */
export type XEnvelope = z.output<typeof xEnvelope>

/** What is said of an object that is not, no longer, or not for everyone, there. */
const GONE =
  /\/(resource-not-found|resource-unavailable|not-authorized-for-resource|disallowed-resource)$|^Not Found Error$|^Authorization Error$/

/** What is said of a field that X does not give to everyone; it is left out. */
const WITHHELD_FIELD = /\/(not-authorized-for-field|field-unauthorized)$/

/** Parameters that name what was asked for, and not something that it refers to. */
const ASKED_FOR = new Set(['id', 'ids', 'username'])

function isGone({ type = '', title = '' }: XError): boolean {
  return GONE.test(type) || GONE.test(title)
}

/**
 * Reads a body as an envelope; null when it is none, such as half of one.
 * @param body UTF-8.
 */
export function parseEnvelope(body: Uint8Array): XEnvelope | null {
  return xEnvelope.safeParse(parseJson(body)).data ?? null
}

/**
 * The answer itself; null when it says that what was asked for is not there. Objects that it refers to may be gone.
 * @throws ProblemError for an answer with any other error inside, and for one without data.
 */
export function acceptEnvelope(envelope: XEnvelope): XEnvelope | null {
  const errors = envelope.errors ?? []
  const isPart = errors.every((error) => isGone(error) || WITHHELD_FIELD.test(error.type ?? ''))
  if (!isPart) throw failed('The X API answered with errors.')
  if (envelope.data !== undefined) return envelope
  const isAboutPage = envelope.meta !== undefined
  const gone = errors.filter(isGone)
  if (gone.some(({ parameter = '' }) => !isAboutPage || ASKED_FOR.has(parameter))) return null
  // A page without objects has no data, but tells of itself.
  if (isAboutPage) return envelope
  throw failed('The X API answered with something else than data.')
}

/** Whether a refusal says that what was asked for is not there, rather than that the address is wrong. */
export function tellsGone(envelope: XEnvelope | null): boolean {
  if (!envelope) return false
  const { type, title } = xError.safeParse(envelope).data ?? {}
  const own = { ...(type !== undefined && { type }), ...(title !== undefined && { title }) }
  return isGone(own) || envelope?.errors?.some(isGone) === true
}

/** The parameters that a refusal (400) complains of. */
export function refusedParameters(envelope: XEnvelope | null): readonly string[] {
  return (envelope?.errors ?? []).flatMap(({ parameter, parameters = {}, message = '', detail = '' }) => [
    ...Object.keys(parameters),
    ...(parameter === undefined ? [] : [parameter]),
    ...[...`${message} ${detail}`.matchAll(/[[`'"]([a-z_.]{2,40})[\]`'"]/g)].map(([, name = '']) => name),
  ])
}

/** A failure of the upstream as callers are told it: without its words, its address and its credentials. */
export function failed(detail: string, cause?: unknown): ProblemError {
  return new ProblemError({ code: 'upstream_failed', detail }, { cause })
}
