import { Readability } from '@mozilla/readability'
import { toDocument } from './to-document.ts'

export type ReadabilityArticle = {
  /** Markup of the article; empty when none was found. */
  readonly html: string
  readonly byline: string | null
}

/** The article of a page by Mozilla's Readability, which is best where a page is one text. */
export function extractByReadability(html: string): ReadabilityArticle {
  try {
    // Classes tell the language of code.
    const article = new Readability(toDocument(html), { keepClasses: true }).parse()
    return { html: article?.content ?? '', byline: article?.byline?.replace(/\s+/g, ' ').trim() || null }
  } catch {
    // It expects a body, and markup of strangers has every fault; the others are asked.
    return { html: '', byline: null }
  }
}
