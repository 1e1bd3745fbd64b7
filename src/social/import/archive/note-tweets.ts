import * as z from 'zod'

const noteTweet = z.object({
  noteTweet: z.looseObject({
    createdAt: z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'no time'),
    core: z.looseObject({ text: z.string() }),
  }),
})

/** Note tweets (long texts) of an archive, which do not name their tweet. */
export interface NoteTweets {
  /** @returns the issue; null if it was added. */
  add(provided: unknown): string | null
  /** The full text of a tweet, found by its second and its beginning; null if none or several match. */
  find(tweet: { readonly full_text: string; readonly created_at: string }): string | null
}

const LINK = 'https://t.co/'
/** More is not realistic, and each is compared with each tweet of its second. */
const MAX_PER_SECOND = 20
/** Shorter beginnings are ambiguous. */
const MIN_BEGINNING_LENGTH = 20

export function createNoteTweets(): NoteTweets {
  const bySecond = new Map<number, string[]>()
  return {
    add(provided) {
      const read = noteTweet.safeParse(provided)
      if (!read.success) return 'note tweet: invalid format'
      const { createdAt, core } = read.data.noteTweet
      const second = secondOf(createdAt)
      const known = bySecond.get(second) ?? []
      if (known.length >= MAX_PER_SECOND) return `note tweet: more than ${MAX_PER_SECOND} in one second`
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
 * A truncated tweet ends with links, usually after an ellipsis. They are removed from the end: a regex would
 * try every position, and a text may have millions of spaces.
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

/** Tweet texts have three characters escaped, note tweets none. */
function withoutEscapes(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
