/** Reasons why data types of an archive are not imported, apart from private ones. */
const REASONS: readonly (readonly [types: RegExp, reason: string])[] = [
  [/^likes?$/, 'texts of others without their authors and times'],
  [/^article/, 'in a format that X has not documented'],
  [/^deleted/, 'deleted by their author'],
  [/^listsCreated$/, 'URLs only, without the names of the lists'],
  [/^(tweetHeaders?|deletedTweetHeaders?)$/, 'repeat the tweets without their texts'],
  [/^(moment|periscope|spaces?|grok|community(Note|NoteRating|NoteTombstone))/, 'no endpoint returns them'],
]

/** A data type that an import skipped, with a short reason. */
export function explainSkipped(type: string): string {
  const [, reason = 'private'] = REASONS.find(([types]) => types.test(type)) ?? []
  return `${type} (${reason})`
}
