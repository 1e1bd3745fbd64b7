import { type Fields, isFields } from '../fields.ts'
import { addObject, addRelation, type ImportedObjects } from '../imported-objects.ts'
import { parseArchiveTweet } from './archive-shapes.ts'
import { fromArchiveTweet } from './archive-tweet.ts'
import type { PartKind } from './data-types.ts'
import type { NoteTweets } from './note-tweets.ts'

type Archive = { readonly ownerId: string; readonly notes: NoteTweets }

/** Imports one value of a part. */
export function readPartValue(kind: PartKind, value: unknown, archive: Archive, objects: ImportedObjects) {
  const { ownerId } = archive
  const wrapped = isFields(value) ? value : {}
  switch (kind) {
    case 'tweets':
      return readTweet(wrapped.tweet, archive, objects)
    case 'communityTweet':
      return readTweet(wrapped.tweet ?? wrapped.communityTweet, archive, objects)
    case 'follower':
      return addRelation(objects, { kind: 'follow', from: accountOf(wrapped.follower), to: ownerId })
    case 'following':
      return addRelation(objects, { kind: 'follow', from: ownerId, to: accountOf(wrapped.following) })
    case 'listsMember':
      return addListRelation(objects, { kind: 'list_member', from: ownerId, to: listOf(wrapped) })
    case 'listsSubscribed':
      return addListRelation(objects, { kind: 'list_follower', from: ownerId, to: listOf(wrapped) })
    default:
      throw new Error('unreachable', { cause: kind satisfies never })
  }
}

function readTweet(provided: unknown, { ownerId, notes }: Archive, objects: ImportedObjects) {
  const read = parseArchiveTweet(provided)
  if (!read.success) {
    const [first] = read.error.issues
    objects.faults.push(`tweet: ${first?.path.join('.') || 'the whole'}: ${first?.message}`)
    return
  }
  const { tweet, media } = fromArchiveTweet(read.data, ownerId)
  const note = notes.find(read.data)
  addObject(objects, 'tweets', note === null ? tweet : { ...tweet, note_tweet: { text: note } })
  for (const one of media) addObject(objects, 'media', one)
}

function accountOf(provided: unknown): unknown {
  return isFields(provided) ? provided.accountId : undefined
}

/** An archive stores only the URL of a list, which contains its id in newer archives only. */
function listOf({ userListInfo }: Fields): unknown {
  const url = isFields(userListInfo) ? userListInfo.url : undefined
  return typeof url === 'string' ? /\/lists\/(\d{1,19})\/?$/.exec(url)?.[1] : undefined
}

function addListRelation(objects: ImportedObjects, relation: Parameters<typeof addRelation>[1]) {
  if (relation.to === undefined) objects.faults.push('a list without an id in its URL')
  else addRelation(objects, relation)
}
