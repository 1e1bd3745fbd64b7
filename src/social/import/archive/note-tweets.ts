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

/** How the text of a tweet with more to read ends: with a link, and mostly an ellipsis. */
const ENDING = /\s*…?\s*(https:\/\/t\.co\/\w+\s*)*$/
/** Shorter beginnings tell nothing. */
const SHORTEST_BEGINNING = 20

export function createNoteTweets(): NoteTweets {
  const bySecond = new Map<number, string[]>()
  return {
    add(given) {
      const read = noteTweet.safeParse(given)
      if (!read.success) return 'note tweet: not of its shape'
      const { createdAt, core } = read.data.noteTweet
      const second = secondOf(createdAt)
      const known = bySecond.get(second)
      if (known) known.push(core.text)
      else bySecond.set(second, [core.text])
      return null
    },
    find({ full_text, created_at }) {
      const beginning = withoutEscapes(full_text.replace(ENDING, ''))
      if (beginning.length < SHORTEST_BEGINNING) return null
      const found = (bySecond.get(secondOf(created_at)) ?? []).filter(
        (text) => text.length > beginning.length && text.startsWith(beginning),
      )
      const [only, ...others] = found
      return only !== undefined && others.length === 0 ? only : null
    },
  }
}

function secondOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}

/** Texts of tweets have three signs escaped, long ones none. */
function withoutEscapes(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
