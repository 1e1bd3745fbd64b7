import type * as z from 'zod'
import { type Includes, includes as includesModel, list, type Tweet, tweet, user } from '../../model.ts'
import type { FoundPage } from '../provider.ts'
import { toClassicNames } from './classic-names.ts'
import { failed, type XEnvelope } from './x-envelope.ts'

const MODELS = { tweet, user, list }
type Kind = keyof typeof MODELS
type Model<Name extends Kind> = z.output<(typeof MODELS)[Name]>

/**
 * The object of an answer, with classic names.
 * @throws ProblemError if it is not of that kind.
 */
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
