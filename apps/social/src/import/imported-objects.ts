import type * as z from 'zod'
import { article, community, list, media, tweet, user } from '../model.ts'
import type { Relation, SocialBundle } from '../source/provider.ts'

/** The kinds of objects, as named in a bundle and in the counts of an import. */
export type ObjectKind = Exclude<keyof SocialBundle, 'relations'>

const MODELS = { users: user, tweets: tweet, media, lists: list, communities: community, articles: article }

/** Objects read from a file, and the issues of invalid ones. */
export type ImportedObjects = {
  readonly bundle: { -readonly [Kind in keyof SocialBundle]: SocialBundle[Kind][number][] }
  readonly issues: string[]
}

export function createObjects(): ImportedObjects {
  return {
    bundle: { users: [], tweets: [], media: [], lists: [], communities: [], articles: [], relations: [] },
    issues: [],
  }
}

/** Adds an object if it is valid as an answer; otherwise records the issue. */
export function addObject(objects: ImportedObjects, kind: ObjectKind, provided: unknown): void {
  const read = MODELS[kind].safeParse(provided)
  // The model of that kind parsed it.
  if (read.success) (objects.bundle[kind] as unknown[]).push(read.data)
  else objects.issues.push(`${NAMES[kind]}: ${firstIssue(read.error)}`)
}

const ID = /^\d{1,19}$/

/** Adds a relation between two ids; otherwise records the issue. */
export function addRelation(
  objects: ImportedObjects,
  { kind, from, to }: Readonly<Record<keyof Relation, unknown>>,
) {
  if (typeof from === 'string' && typeof to === 'string' && ID.test(from) && ID.test(to))
    // The readers produce only the four kinds.
    objects.bundle.relations.push({ kind: kind as Relation['kind'], from, to })
  else objects.issues.push('a relation without two ids')
}

const NAMES: Readonly<Record<ObjectKind, string>> = {
  users: 'user',
  tweets: 'tweet',
  media: 'media',
  lists: 'list',
  communities: 'community',
  articles: 'article',
}

function firstIssue({ issues }: z.ZodError): string {
  const [first] = issues
  return first ? `${first.path.join('.') || 'the whole'}: ${first.message}` : 'invalid format'
}
