import { isRecord } from '@tollbook/flow/is-record'
import { toClassicNames } from '../../source/x/classic-names.ts'
import { addObject, addRelation, type ImportedObjects, type ObjectKind } from '../imported-objects.ts'

const KINDS = [
  ['users', 'user'],
  ['tweets', 'tweet'],
  ['media', 'media'],
  ['lists', 'list'],
  ['communities', 'list'],
] as const satisfies readonly (readonly [ObjectKind, string])[]

/** Relations with their kind and the field of their target; `follower` repeats `following`. */
const RELATIONS: Readonly<Record<string, readonly [kind: string, target: string]>> = {
  following: ['follow', 'target_user_id'],
  retweet: ['repost', 'target_tweet_id'],
  list_member: ['list_member', 'target_list_id'],
  followed_list: ['list_follower', 'target_list_id'],
}

/** Whether a value is a state of the X API simulator (https://github.com/xdevplatform/playground, `/state/export`). */
export function isStateExport(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && isRecord(value.users) && isRecord(value.tweets) && !('data' in value)
}

/** Imports a simulator's state; messages, likes, bookmarks, mutes and blocks are private and skipped. */
export function readStateExport(state: Readonly<Record<string, unknown>>, objects: ImportedObjects): void {
  for (const [kind, name] of KINDS)
    for (const item of Object.values(isRecord(state[kind]) ? state[kind] : {}))
      addObject(objects, kind, withMilliseconds(toClassicNames(name, item)))
  const relations = Array.isArray(state.relationships) ? state.relationships : []
  for (const one of relations) {
    if (!isRecord(one)) {
      objects.issues.push('an invalid relation')
      continue
    }
    const type = String(one.type)
    const [kind, target] = (Object.hasOwn(RELATIONS, type) ? RELATIONS[type] : undefined) ?? []
    if (kind !== undefined && target !== undefined)
      addRelation(objects, { kind, from: one.user_id, to: one[target] })
  }
}

/** The simulator writes nanoseconds; the API has milliseconds. */
function withMilliseconds(provided: unknown): unknown {
  if (!isRecord(provided) || typeof provided.created_at !== 'string') return provided
  const time = Date.parse(provided.created_at)
  return Number.isNaN(time) ? provided : { ...provided, created_at: new Date(time).toISOString() }
}
