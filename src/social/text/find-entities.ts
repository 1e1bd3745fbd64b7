import { findCashtags } from './cashtags.ts'
import { findHashtags } from './hashtags.ts'
import { findMentions } from './mentions.ts'
import type { TextSpan } from './text-span.ts'
import { findUrls } from './urls.ts'

export type FoundEntities = {
  readonly hashtags: readonly { readonly start: number; readonly end: number; readonly tag: string }[]
  readonly cashtags: readonly { readonly start: number; readonly end: number; readonly tag: string }[]
  readonly mentions: readonly { readonly start: number; readonly end: number; readonly username: string }[]
  readonly urls: readonly { readonly start: number; readonly end: number; readonly url: string }[]
}

/**
 * The entities of a text according to twitter-text; each kind is computed on access. Offsets count Unicode
 * code points and the end is exclusive, as in the X API v2.
 */
export function findEntities(text: string): FoundEntities {
  return new Entities(text)
}

/** A class, since V8 creates a hidden class for each literal with getters. */
class Entities implements FoundEntities {
  readonly #text: string
  readonly #toPoints: ReturnType<typeof pointCounter>

  constructor(text: string) {
    this.#text = text
    this.#toPoints = pointCounter(text)
  }

  get hashtags() {
    return findHashtags(this.#text).map(this.#toPoints)
  }

  get cashtags() {
    return findCashtags(this.#text).map(this.#toPoints)
  }

  get mentions() {
    return findMentions(this.#text).map(this.#toPoints)
  }

  get urls() {
    return findUrls(this.#text).map(this.#toPoints)
  }
}

function pointCounter(text: string) {
  const isPlain = !/[\ud800-\udbff]/.test(text)
  const countTo = (unit: number) => (isPlain ? unit : [...text.slice(0, unit)].length)
  return <Span extends TextSpan>(span: Span): Span => ({
    ...span,
    start: countTo(span.start),
    end: countTo(span.end),
  })
}
