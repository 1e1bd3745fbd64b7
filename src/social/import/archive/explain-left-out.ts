/** Why types of data of an archive are not imported, where it is not because they are private. */
const REASONS: readonly (readonly [types: RegExp, reason: string])[] = [
  [/^likes?$/, 'texts of others without their authors and times'],
  [/^article/, 'in a form that X has not documented'],
  [/^deleted/, 'deleted by their author'],
  [/^listsCreated$/, 'addresses alone, without the names of the lists'],
  [/^(tweetHeaders?|deletedTweetHeaders?)$/, 'repeat the tweets without their texts'],
  [/^(moment|periscope|spaces?|grok|community(Note|NoteRating|NoteTombstone))/, 'no endpoint answers them'],
]

/** A type of data that an import left unread, with the reason in a few words. */
export function explainLeftOut(type: string): string {
  const [, reason = 'private'] = REASONS.find(([types]) => types.test(type)) ?? []
  return `${type} (${reason})`
}
