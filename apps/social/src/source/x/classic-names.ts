/** Conversion of X API objects to the names used before August 2026. */
type Shape = {
  /** Newer names to classic ones. */
  readonly names?: Readonly<Record<string, string>>
  /** Newer values to classic ones, by field. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly parts?: Readonly<Record<string, Shape>>
}

const TWEET_METRICS: Shape = { names: { repost_count: 'retweet_count' } }

const TWEET: Shape = {
  names: {
    referenced_posts: 'referenced_tweets',
    note_post: 'note_tweet',
    edit_history_post_ids: 'edit_history_tweet_ids',
  },
  parts: {
    public_metrics: TWEET_METRICS,
    organic_metrics: TWEET_METRICS,
    promoted_metrics: TWEET_METRICS,
    non_public_metrics: TWEET_METRICS,
    attachments: {
      names: {
        media_source_post_id: 'media_source_tweet_id',
        media_source_post: 'media_source_tweet',
      },
    },
    referenced_tweets: { values: { type: { reposted: 'retweeted' } } },
  },
}

const USER: Shape = {
  names: { pinned_post_id: 'pinned_tweet_id', most_recent_post_id: 'most_recent_tweet_id' },
  parts: { public_metrics: { names: { post_count: 'tweet_count' } } },
}

/** The kinds of objects in an answer, and the includes with lists of them. */
const SHAPES = {
  tweet: TWEET,
  user: USER,
  list: {},
  media: {},
  includes: { names: { posts: 'tweets' }, parts: { tweets: TWEET, users: USER } },
} satisfies Record<string, Shape>

/**
 * An object of the X API with its classic names, from either dialect, without null fields: unknown data is
 * absent. Unknown fields pass through, and a classic name takes precedence over its newer one.
 */
export function toClassicNames(kind: keyof typeof SHAPES, provided: unknown): unknown {
  // Most objects already have classic names, and copying them takes longer than checking.
  return isClassic(provided, SHAPES[kind]) ? provided : rename(provided, SHAPES[kind])
}

/** Whether `rename` would return the same object. */
function isClassic(provided: unknown, shape: Shape): boolean {
  if (typeof provided !== 'object' || provided === null) return true
  if (Array.isArray(provided)) return provided.every((one) => isClassic(one, shape))
  const { names, values, parts } = shape
  return Object.entries(provided).every(([name, value]) => {
    if (value === null || (names && Object.hasOwn(names, name))) return false
    const of = values && Object.hasOwn(values, name) ? values[name] : undefined
    if (of && typeof value === 'string' && Object.hasOwn(of, value)) return false
    if (name === 'created_at') return toIsoTime(value) === value
    return isClassic(value, parts && Object.hasOwn(parts, name) ? (parts[name] ?? {}) : {})
  })
}

function rename(provided: unknown, { names = {}, values = {}, parts = {} }: Shape): unknown {
  if (Array.isArray(provided)) return provided.map((one) => rename(one, { names, values, parts }))
  if (typeof provided !== 'object' || provided === null) return provided
  const entries = Object.entries(provided).filter(([, value]) => value !== null)
  const present = new Set(entries.map(([name]) => name))
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const classic = Object.hasOwn(names, name) ? (names[name] ?? name) : name
      if (classic !== name && present.has(classic)) return []
      const of = Object.hasOwn(values, classic) ? values[classic] : undefined
      if (of && typeof value === 'string' && Object.hasOwn(of, value)) return [[classic, of[value]]]
      if (classic === 'created_at') return [[classic, toIsoTime(value)]]
      return [[classic, rename(value, Object.hasOwn(parts, classic) ? (parts[classic] ?? {}) : {})]]
    }),
  )
}

/** Some upstreams still write times in the format of the 2006 API: `Wed Jan 06 18:40:40 +0000 2021`. */
function toIsoTime(provided: unknown): unknown {
  if (typeof provided !== 'string' || /^\d{4}-/.test(provided)) return provided
  const time = Date.parse(provided)
  return Number.isNaN(time) ? provided : new Date(time).toISOString()
}
