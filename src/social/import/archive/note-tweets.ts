import * as z from 'zod'

const noteTweet = z.object({
  noteTweet: z.looseObject({
    createdAt: z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'no time'),
    core: z.looseObject({ text: z.string() }),
  }),
})

/** Long texts of an archive, which name no tweet of theirs. */
export interface NoteTweets {
  /** @returns what is wrong with it; null when it was taken. */
  add(given: unknown): string | null
  /** The long text of a tweet, by its second and its beginning; null when there is none, or more than one. */
  find(tweet: { readonly full_text: string; readonly created_at: string }): string | null
}

const LINK = 'https://t.co/'
/** Nobody writes more, and each is compared with each tweet of its second. */
const MAX_PER_SECOND = 20
/** Shorter beginnings tell nothing. */
const MIN_BEGINNING_LENGTH = 20

export function createNoteTweets(): NoteTweets {
  const bySecond = new Map<number, string[]>()
  return {
    add(given) {
      const read = noteTweet.safeParse(given)
      if (!read.success) return 'note tweet: not of its shape'
      const { createdAt, core } = read.data.noteTweet
      const second = secondOf(createdAt)
      const known = bySecond.get(second) ?? []
      if (known.length >= MAX_PER_SECOND) return `note tweet: one of more than ${MAX_PER_SECOND} of a second`
      known.push(core.text)
      bySecond.set(second, known)
      return null
    },
    find({ full_text, created_at }) {
      const beginning = withoutEscapes(withoutEnding(full_text))
      if (beginning.length < MIN_BEGINNING_LENGTH) return null
      const found = (bySecond.get(secondOf(created_at)) ?? []).filter(
        (text) => text.length > beginning.length && text.startsWith(beginning),
      )
      const [only, ...others] = found
      return only !== undefined && others.length === 0 ? only : null
    },
  }
}

/**
 * The text of a tweet with more to read ends with links, and mostly an ellipsis before them. They are taken off from
 * the end: a pattern would try each of its places, and a text may have millions of spaces.
 */
function withoutEnding(text: string): string {
  let rest = text.trimEnd()
  for (;;) {
    const link = rest.lastIndexOf(LINK)
    if (link < 0 || !/^\w+$/.test(rest.slice(link + LINK.length))) break
    rest = rest.slice(0, link).trimEnd()
  }
  return rest.endsWith('…') ? rest.slice(0, -1).trimEnd() : rest
}

function secondOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}

/** Texts of tweets have three signs escaped, long ones none. */
function withoutEscapes(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
