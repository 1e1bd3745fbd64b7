import type * as z from 'zod'
import { type Includes, includes as includesModel } from '../../model/includes.ts'
import { list } from '../../model/list.ts'
import { type Tweet, tweet } from '../../model/tweet.ts'
import { user } from '../../model/user.ts'
import type { FoundPage } from '../provider.ts'
import { toClassicNames } from './classic-names.ts'
import { failed, type XEnvelope } from './x-envelope.ts'

const MODELS = { tweet, user, list }
type Kind = keyof typeof MODELS
type Model<Name extends Kind> = z.output<(typeof MODELS)[Name]>

/**
 * The object of an answer, in classic names.
 * @throws ProblemError when it is not of that kind.
 */
export function readObject<Name extends Kind>(kind: Name, given: unknown): Model<Name> {
  const read = MODELS[kind].safeParse(toClassicNames(kind, given))
  if (!read.success) throw failed(`The X API answered with something else than a ${kind}.`, read.error)
  // The model of that kind parsed it.
  return withPermalink(kind, read.data) as Model<Name>
}

/** The objects of an answer; none where it has no data. */
export function readObjects<Name extends Kind>(kind: Name, { data }: XEnvelope): Model<Name>[] {
  if (data === undefined) return []
  if (!Array.isArray(data)) throw failed('The X API answered with one object in the place of a page.')
  return data.map((one) => readObject(kind, one))
}

/** What the objects of an answer refer to. */
export function readIncludes({ includes = {} }: XEnvelope): Includes {
  const read = includesModel.safeParse(toClassicNames('includes', includes))
  if (!read.success) throw failed('The X API answered with includes that are none.', read.error)
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
  // Only a tweet has a text.
  return kind === 'tweet' ? { ...object, url: permalinkOf(object as Tweet) } : object
}

/** Where people read a tweet; X leads from here to the address with its author's name. */
function permalinkOf({ id }: Tweet): string {
  return `https://x.com/i/status/${id}`
}
