import { parseJson } from '@tollbook/flow/parse-json'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { type Includes, includes as includesModel, list, type Tweet, tweet, user } from '../../model.ts'
import type { FoundPage } from '../provider.ts'
import { toClassicNames } from './classic-names.ts'

const MODELS = { tweet, user, list }
type Kind = keyof typeof MODELS
type Model<Name extends Kind> = z.output<(typeof MODELS)[Name]>

/** An error inside an answer (docs.x.com, "Response codes and errors"); a 400 has `parameters`. */
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

/** An unmodified answer of the X API, in either dialect. */
export type XEnvelope = z.output<typeof xEnvelope>

/** Error types of an object that does not exist, is deleted, or is not public. */
const GONE =
  /\/(resource-not-found|resource-unavailable|not-authorized-for-resource|disallowed-resource)$|^Not Found Error$|^Authorization Error$/

/** Error types of a field that is not public; the field is omitted. */
const WITHHELD_FIELD = /\/(not-authorized-for-field|field-unauthorized)$/

/** Parameters that name the requested object, and not one it refers to. */
const REQUESTED = new Set(['id', 'ids', 'username'])

function isGone({ type = '', title = '' }: XError): boolean {
  return GONE.test(type) || GONE.test(title)
}

/**
 * Parses a body as an envelope; null if it is invalid, such as a truncated body.
 * @param body UTF-8.
 */
export function parseEnvelope(body: Uint8Array): XEnvelope | null {
  return xEnvelope.safeParse(parseJson(body)).data ?? null
}

/**
 * The answer itself; null if it reports that the requested object does not exist. Referenced objects may be
 * gone.
 * @throws ProblemError for an answer with any other error inside, and for one without data.
 */
export function acceptEnvelope(envelope: XEnvelope): XEnvelope | null {
  const errors = envelope.errors ?? []
  const isPart = errors.every((error) => isGone(error) || WITHHELD_FIELD.test(error.type ?? ''))
  if (!isPart) throw failed('The X API answered with errors.')
  if (envelope.data !== undefined) return envelope
  const isAboutPage = envelope.meta !== undefined
  const gone = errors.filter(isGone)
  if (gone.some(({ parameter = '' }) => !isAboutPage || REQUESTED.has(parameter))) return null
  // An empty page has no data, only metadata.
  if (isAboutPage) return envelope
  throw failed('The X API answered without data.')
}

/** Whether an error means that the requested object does not exist, rather than that the URL is wrong. */
export function reportsGone(envelope: XEnvelope | null): boolean {
  if (!envelope) return false
  const { type, title } = xError.safeParse(envelope).data ?? {}
  const own = { ...(type !== undefined && { type }), ...(title !== undefined && { title }) }
  return isGone(own) || envelope?.errors?.some(isGone) === true
}

/** The parameters that an error (400) names. */
export function refusedParameters(envelope: XEnvelope | null): readonly string[] {
  return (envelope?.errors ?? []).flatMap(({ parameter, parameters = {}, message = '', detail = '' }) => [
    ...Object.keys(parameters),
    ...(parameter === undefined ? [] : [parameter]),
    ...[...`${message} ${detail}`.matchAll(/[[`'"]([a-z_.]{2,40})[\]`'"]/g)].map(([, name = '']) => name),
  ])
}

/** An upstream failure in the form that callers receive: without the upstream's error message, URL and credentials. */
export function failed(detail: string, cause?: unknown): ProblemError {
  return new ProblemError({ code: 'upstream_failed', detail }, { cause })
}

/** The object of an answer, with classic names. @throws ProblemError if it is not of that kind. */
export function readObject<Name extends Kind>(kind: Name, provided: unknown): Model<Name> {
  const read = MODELS[kind].safeParse(toClassicNames(kind, provided))
  if (!read.success) throw failed(`The X API's answer is not a valid ${kind}.`, read.error)
  // The model of that kind parsed it.
  return withPermalink(kind, read.data) as Model<Name>
}

/** The objects of an answer; empty if it has no data. */
export function readObjects<Name extends Kind>(kind: Name, { data }: XEnvelope): Model<Name>[] {
  if (data === undefined) return []
  if (!Array.isArray(data)) throw failed('The X API answered with one object instead of a page.')
  return data.map((one) => readObject(kind, one))
}

/** The includes of an answer. */
export function readIncludes({ includes = {} }: XEnvelope): Includes {
  const read = includesModel.safeParse(toClassicNames('includes', includes))
  if (!read.success) throw failed('The X API answered with invalid includes.', read.error)
  const { tweets } = read.data
  return { ...read.data, ...(tweets && { tweets: tweets.map((one) => ({ ...one, url: permalinkOf(one) })) }) }
}

/** A page of an answer, and the token of the next one. */
export function readPage<Name extends Kind>(kind: Name, envelope: XEnvelope): FoundPage<Model<Name>> {
  return {
    data: readObjects(kind, envelope),
    includes: readIncludes(envelope),
    next: envelope.meta?.next_token ?? null,
  }
}

function withPermalink(kind: Kind, object: Model<Kind>): Model<Kind> {
  // Only tweets have a text.
  return kind === 'tweet' ? { ...object, url: permalinkOf(object as Tweet) } : object
}

/** The public URL of a tweet; X redirects it to the URL with its author's name. */
function permalinkOf({ id }: Tweet): string {
  return `https://x.com/i/status/${id}`
}
