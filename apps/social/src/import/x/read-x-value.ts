import { isRecord } from '@tollbook/flow/is-record'
import { ProblemError } from '@tollbook/http/problem'
import { includes as includesModel, tweet as tweetModel } from '../../model.ts'
import type { RelationKind } from '../../source/provider.ts'
import { toClassicNames } from '../../source/x/classic-names.ts'
import { toArticle } from '../../source/x/x-article.ts'
import { addObject, addRelation, type ImportedObjects, type ObjectKind } from '../imported-objects.ts'

type Fields = Readonly<Record<string, unknown>>

type GivenRelation = { readonly kind: RelationKind; readonly from: unknown; readonly to: unknown }

/** What a path of the API lists, and to which of the two ids of a relation it belongs. */
const LISTINGS: Readonly<Record<string, readonly [RelationKind, owner: 'to' | 'from']>> = {
  'users followers': ['follow', 'to'],
  'users following': ['follow', 'from'],
  'lists members': ['list_member', 'to'],
  'lists followers': ['list_follower', 'to'],
  'tweets retweeted_by': ['repost', 'to'],
  'posts reposted_by': ['repost', 'to'],
}

/** Imports a value of a JSON or JSONL file: a page of the X API v2, or one of its objects, in either dialect. */
export function readXValue(value: unknown, objects: ImportedObjects): void {
  if (!isRecord(value)) objects.issues.push('neither a page nor an object')
  else if (isPage(value)) readPage(value, objects)
  else readItem(value, objects)
}

function isPage(value: Fields): boolean {
  return 'data' in value || 'includes' in value || 'errors' in value || 'meta' in value
}

function readPage({ data, includes, __twarc }: Fields, objects: ImportedObjects): void {
  const items = Array.isArray(data) ? data : data === undefined || data === null ? [] : [data]
  for (const item of items) {
    if (isRecord(item)) readItem(item, objects, includes)
    else objects.issues.push('an invalid object in a page')
  }
  const relation = isRecord(__twarc) ? relatedBy(__twarc.url) : null
  if (relation) for (const item of items) if (isRecord(item)) addRelation(objects, relation(item.id))
  if (includes === undefined || includes === null) return
  if (!isRecord(includes)) {
    objects.issues.push('includes are not an object')
    return
  }
  const { users, tweets, posts, media } = includes
  for (const [list, kind] of [
    [users, 'users'],
    [tweets, 'tweets'],
    [posts, 'tweets'],
    [media, 'media'],
  ] as const)
    if (Array.isArray(list)) for (const item of list) addClassic(objects, kind, item, includes)
    else if (list !== undefined && list !== null) objects.issues.push('includes are not an object')
}

function readItem(item: Fields, objects: ImportedObjects, includes: unknown = {}): void {
  const kind = kindOf(item)
  if (kind !== null) addClassic(objects, kind, item, includes)
  else objects.issues.push('an object that is not a tweet, user, media, list or community')
}

/** Objects of the API do not name their kind; these fields are always present. */
function kindOf(item: Fields): ObjectKind | null {
  if ('text' in item) return 'tweets'
  if ('username' in item) return 'users'
  if ('media_key' in item) return 'media'
  if (!('name' in item)) return null
  if ('access' in item || 'join_policy' in item) return 'communities'
  return 'owner_id' in item || 'follower_count' in item || 'private' in item ? 'lists' : null
}

const RENAMED = { tweets: 'tweet', users: 'user', media: 'media', lists: 'list' } as const

function addClassic(objects: ImportedObjects, kind: ObjectKind, provided: unknown, includes: unknown): void {
  const name = Object.hasOwn(RENAMED, kind) ? RENAMED[kind as keyof typeof RENAMED] : 'list'
  const classic = toClassicNames(name, provided)
  addObject(objects, kind, kind === 'tweets' ? withPermalink(classic) : classic)
  if (kind === 'tweets') addArticle(objects, classic, includes)
}

/** The article of a tweet; a preview is not an article and is recorded as an issue. */
function addArticle(objects: ImportedObjects, provided: unknown, includes: unknown): void {
  // Few tweets have one, and each was already parsed.
  if (!isRecord(provided) || provided.article === undefined) return
  const read = tweetModel.safeParse(provided)
  if (!read.success || read.data.article === undefined) return
  const known = includesModel.safeParse(toClassicNames('includes', includes))
  try {
    addObject(objects, 'articles', toArticle(read.data, known.data ?? {}))
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    objects.issues.push('article: no text (it is a preview)')
  }
}

/** The public URL of a tweet; X redirects it to the URL with its author's name. */
function withPermalink(provided: unknown): unknown {
  if (!isRecord(provided) || 'url' in provided || typeof provided.id !== 'string') return provided
  return { ...provided, url: `https://x.com/i/status/${provided.id}` }
}

/**
 * The relation of the users of a page to the requested object. A page does not state it; twarc stores the
 * request URL in it (https://twarc-project.readthedocs.io/en/latest/twarc2_en_us/). Null for any other URL.
 */
function relatedBy(url: unknown): ((user: unknown) => GivenRelation) | null {
  const address = typeof url === 'string' ? URL.parse(url) : null
  const found = /^\/2\/(users|lists|tweets|posts)\/(\d{1,19})\/([a-z_]+)$/.exec(address?.pathname ?? '')
  if (!found) return null
  const [, of = '', owner = '', what = ''] = found
  const name = `${of} ${what}`
  const [kind, end] = (Object.hasOwn(LISTINGS, name) ? LISTINGS[name] : undefined) ?? []
  if (!kind) return null
  return (user) => (end === 'to' ? { kind, from: user, to: owner } : { kind, from: owner, to: user })
}
