import type { Manifest } from './manifest.ts'

/** What is read from an archive, in this order, and its file names; X has renamed them over the years. */
const READ = {
  tweets: /^data\/tweets?(-part\d+)?\.js$/,
  communityTweet: /^data\/community-tweets?(-part\d+)?\.js$/,
  follower: /^data\/follower(-part\d+)?\.js$/,
  following: /^data\/following(-part\d+)?\.js$/,
  listsMember: /^data\/lists-member(-part\d+)?\.js$/,
  listsSubscribed: /^data\/lists-subscribed(-part\d+)?\.js$/,
} as const

/** Read first: the owner, and note tweets, which are stored apart from their tweets. */
const READ_BEFORE = {
  account: /^data\/account\.js$/,
  profile: /^data\/profile\.js$/,
  verified: /^data\/verified\.js$/,
  noteTweet: /^data\/note-tweets?(-part\d+)?\.js$/,
} as const

export type PartKind = keyof typeof READ
export type ArchivePart = { readonly kind: PartKind; readonly name: string }

export type ArchivePlan = {
  readonly before: Readonly<Record<keyof typeof READ_BEFORE, readonly string[]>>
  readonly parts: readonly ArchivePart[]
  /** Data types whose files are never opened: messages, addresses, advertising and other private data. */
  readonly skippedTypes: readonly string[]
}

/** The files to read. A file is read only if both its type and its name allow it. */
export function planArchive({ dataTypes }: Manifest): ArchivePlan {
  // A file listed twice would be read twice.
  const filesOf = (type: string, pattern: RegExp) => [
    ...new Set((dataTypes[type]?.files ?? []).map(({ fileName }) => fileName))
      .values()
      .filter((name) => pattern.test(name)),
  ]
  const before = {
    account: filesOf('account', READ_BEFORE.account),
    profile: filesOf('profile', READ_BEFORE.profile),
    verified: filesOf('verified', READ_BEFORE.verified),
    noteTweet: filesOf('noteTweet', READ_BEFORE.noteTweet),
  }
  const parts = Object.entries(READ).flatMap(([kind, pattern]) =>
    // Until 2022 the type name was singular.
    [kind, ...(kind === 'tweets' ? ['tweet'] : [])]
      .flatMap((type) => filesOf(type, pattern))
      // The keys of READ are the kinds.
      .map((name) => ({ kind: kind as PartKind, name })),
  )
  const names = new Map(parts.map((part) => [part.name, part]))
  const read = new Set<string>([...Object.keys(READ), ...Object.keys(READ_BEFORE), 'tweet'])
  const skippedTypes = Object.entries(dataTypes)
    .filter(([type, { files = [] }]) => !read.has(type) && files.length > 0)
    .map(([type]) => type)
  return { before, parts: [...names.values()], skippedTypes }
}
